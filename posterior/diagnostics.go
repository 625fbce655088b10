package posterior

// Diagnostics returns RHat, ESSBulk and ESSTail of the draws, for less than the three calls
// cost.
func Diagnostics(chains [][]float64) (rHat, essBulk, essTail float64) {
	return RHat(chains), ESSBulk(chains), ESSTail(chains)
}
