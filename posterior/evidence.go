package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// MaxEvidenceSpread is the standard deviation of the log evidence over populations up to
// which they count as converged. Where it is larger, each has found other modes or other
// weights of them, whatever their draws look like.
const MaxEvidenceSpread = 1

// Evidence combines estimates of the log evidence by independent populations. log is the
// logarithm of the mean of the estimates of the evidence, which are nearly unbiased.
// spread is the standard deviation of the logarithms, NaN for a single population.
func Evidence(logs []float64) (log, spread float64) {
	return floats.LogSumExp(logs) - math.Log(float64(len(logs))), stat.StdDev(logs, nil)
}
