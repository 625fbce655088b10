package mcmc

import (
	"fmt"
	"math"
)

// Sequential is the sequential test of Gandy and Scott (2020, algorithm 3). Stage
// i = 1, 2, ... takes fresh replicates and their p value. With beta = Alpha/Stages
// and gamma = beta^(1/Stages), the alarm is raised if p <= beta/gamma^(i-1); the
// test passes if p > gamma, and otherwise continues to the next stage.
//
// A correct sampler continues with probability at most gamma a stage, so that it
// raises the alarm at stage i with probability at most gamma^(i-1) times
// beta/gamma^(i-1) = beta, and at any with at most Alpha. At the last stage both
// thresholds are gamma: there is always a decision. A wrong sampler passes only if
// p is above gamma, some percent, at one stage, though Alpha may be tiny.
type Sequential struct {
	Alpha  float64 // bound on the probability of a false alarm
	Stages int     // at least 1
	First  int     // replicates at the first stage
	Later  int     // replicates at each of the others
}

// Verdict is the outcome of a test.
type Verdict struct {
	Alarm      bool
	Stages     int     // made
	Replicates int     // made, over all stages
	P          float64 // of the last stage
	Worst      int     // least uniform quantity of the last stage
}

// Thresholds returns the largest p value that raises the alarm at each stage, and
// the largest that continues to the next.
func (s Sequential) Thresholds() (alarm []float64, goOn float64) {
	beta := s.Alpha / float64(s.Stages)
	goOn = math.Pow(beta, 1/float64(s.Stages))
	for range s.Stages {
		alarm = append(alarm, beta)
		beta /= goOn
	}
	alarm[s.Stages-1] = goOn // except rounding it is
	return alarm, goOn
}

// Test runs the test. stage returns the p value of n replicates, independent of
// those of other stages, numbered from 0, and the quantity that gave it. Test
// panics on a test without stages or replicates, or with Alpha outside (0, 1).
func (s Sequential) Test(stage func(stage, n int) (p float64, worst int)) Verdict {
	if s.Stages < 1 || s.First < 1 || s.Later < 1 || !(s.Alpha > 0 && s.Alpha < 1) {
		panic(fmt.Sprintf("calibration: no such test: %+v", s))
	}
	alarm, goOn := s.Thresholds()
	var v Verdict
	for i := range s.Stages {
		n := s.Later
		if i == 0 {
			n = s.First
		}
		v.Stages, v.Replicates = i+1, v.Replicates+n
		v.P, v.Worst = stage(i, n)
		if v.P <= alarm[i] {
			v.Alarm = true
			break
		}
		if v.P > goOn {
			break
		}
	}
	return v
}

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
