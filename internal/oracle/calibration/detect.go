package calibration

// Detect returns how many replicates it takes to see that a sampler is wrong: it tries
// the sizes one after the other until the p value is at most alpha/len(sizes). A right
// sampler is taken for a wrong one with probability at most alpha, by Bonferroni's
// inequality: the n replicates of a stage may include those of earlier stages.
func Detect(alpha float64, sizes []int, stage func(stage, n int) (p float64, worst int)) Verdict {
	var v Verdict
	for i, n := range sizes {
		v.Stages, v.Replicates = i+1, n
		v.P, v.Worst = stage(i, n)
		if v.P <= alpha/float64(len(sizes)) {
			v.Alarm = true
			break
		}
	}
	return v
}
