package model_test

import (
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/spec"
)

func init() {
	model.Load = input.Build
	model.ReadPrior = func(s spec.Spec) (*model.Input, error) { return input.New().ReadPrior(s) }
	model.Rerun = func(p *model.Problem) model.Again { return input.Reopen(files.OS{}).Run(p.Spec, p.Sources, p.IDs) }
}
