package cli

// aibd data

import "github.com/spf13/cobra"

func newData() *cobra.Command {
	return group("data", "Built-in and synthetic data", `Lists, shows and writes built-in data, and writes synthetic data with known truth.`,
		`  aibd data list
  aibd data show usstates
  aibd data write usstates --dir .
  aibd data write twin --seed 7`,
		newDataList(), newDataShow(), newDataWrite())
}
