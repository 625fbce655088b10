// Reads segments of draws with DuckDB alone and prints what it found as JSON.
// Arguments: a folder with the npm package @duckdb/node-api, the number of
// items, files.
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, items, ...files] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(join(modules, "x.js"))("@duckdb/node-api");
const db = await (await DuckDBInstance.create(":memory:")).connect();

// The bits of a BIT count from the most significant one of the first byte.
const sql = `
WITH draws AS (FROM read_parquet([${files.map((f) => `'${f}'`)}])),
features AS (SELECT ".draw", features, unnest(range(1, n_features + 1)) AS feature FROM draws),
bits AS (
  SELECT ".draw", feature, item
  FROM features, range(1, ${items} + 1) AS items(item)
  WHERE get_bit(features::BIT, ((feature - 1) * ((${items} + 7) // 8) * 8 + (item - 1) // 8 * 8 + 7 - (item - 1) % 8)::INT) = 1),
positions AS (SELECT unnest(permutation) AS item, unnest(range(1, len(permutation) + 1)) AS position FROM draws)
SELECT {
  "rows": count(*), ".chain": sum(".chain"), ".iteration": sum(".iteration"), ".draw": sum(".draw"),
  mass: sum(mass), temperature: sum(temperature), sigma_x: sum(sigma_x), sigma_a: sum(sigma_a),
  n_features: sum(n_features), n_ones: sum(n_ones), log_lik: sum(log_lik), log_prior: sum(log_prior),
  no_temperature: count(*) - count(temperature), no_permutation: count(*) - count(permutation),
  permutation: (SELECT sum(item * position) FROM positions),
  ones: (SELECT count(*) FROM bits),
  features: (SELECT sum(".draw" * feature * item) FROM bits)
}::JSON::VARCHAR FROM draws`;
console.log((await db.runAndReadAll(sql)).getRows()[0][0]);
