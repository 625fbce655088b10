// Reads segments of draws with hyparquet and prints what it found as JSON.
// Arguments: a folder with the npm packages hyparquet and
// hyparquet-compressors, the number of items, files.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, items, ...files] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(modules, path)));
const { asyncBufferFromFile, parquetReadObjects } = await load("hyparquet/src/node.js");
const { compressors } = await load("hyparquet-compressors/src/index.js");

const scalars = [".chain", ".iteration", ".draw", "mass", "temperature", "sigma_x", "sigma_a", "n_features", "n_ones", "log_lik", "log_prior"];
const found = { rows: 0, no_temperature: 0, no_permutation: 0, permutation: 0, ones: 0, features: 0 };
for (const name of scalars) found[name] = 0;
const bytes = Math.ceil(items / 8);
for (const name of files) {
  const file = await asyncBufferFromFile(name);
  for (const draw of await parquetReadObjects({ file, compressors, utf8: false })) {
    found.rows++;
    for (const name of scalars) found[name] += draw[name] ?? 0;
    if (draw.temperature == null) found.no_temperature++;
    if (draw.permutation == null) found.no_permutation++;
    draw.permutation?.forEach((item, position) => (found.permutation += item * (position + 1)));
    for (let k = 0; k < draw.n_features; k++) {
      for (let i = 0; i < items; i++) {
        if ((draw.features[k * bytes + (i >> 3)] >> (i & 7)) & 1) {
          found.ones++;
          found.features += draw[".draw"] * (k + 1) * (i + 1);
        }
      }
    }
  }
}
console.log(JSON.stringify(found));
