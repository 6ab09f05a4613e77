# Rules for GNU make that build every file between a program and its verdicts. In a Makefile of your own:
#
#   include path/to/ebb.mk
#   all: peterson.sc.verdict.json peterson.tso.verdict.json
#   peterson.tso.%: K = 3
#
#   file                              from                            with
#   NAME.ir.json                      NAME.ebb                        ebb-parse
#   NAME.sc.bp                        NAME.ir.json, NAME.preds.yaml   ebb-abstract; the predicates of that file, if there is one
#   NAME.tso.ir.json, NAME.pso.ir.json                NAME.ir.json    ebb-reduce -k $(K)
#   NAME.rma.ir.json                  NAME.ir.json                    ebb-reduce
#   NAME.tso.bp, NAME.pso.bp          NAME.sc.bp, NAME.tso.ir.json    ebb-extrapolate --method $(METHOD)
#   NAME.rma.bp                       NAME.sc.bp, NAME.rma.ir.json    ebb-extrapolate
#   NAME.sc.verdict.json, NAME.tso.verdict.json, …    NAME.sc.bp, …   ebb-check $(CHECKFLAGS)
#   NAME.sc.safe, NAME.tso.safe, …    the verdict                     nothing; it is an error if the verdict is not `safe`
#   NAME.tso.mended.ebb, NAME.tso.fences.txt, …       NAME.ebb        ebb fences: the program with fences, and the report
#   NAME.tso.mended.verification.json, …              that program    ebb verify
#
# A verdict is a product like any other: unsafe and unknown are no errors for make, and the file stays. Whoever wants make
# to stop there asks for NAME.tso.safe, an empty file. Anything else that goes wrong is an error and leaves no verdict. A
# program that fences cannot mend is an error, and the report is printed.
#
# Set these before the include, or when calling make:
#   EBB         the folder of the executables; those on PATH unless told
#   SRC         the folder of NAME.ebb and NAME.preds.yaml
#   OUT         the folder for everything else. Without SRC and OUT, files are made beside their source, in any folder
#   SETTINGS    files that set the variables below: when one changes, what depends on them is made again. The Makefile
#               unless told. make does not notice values on its command line: use -B, or remove the files
# Set these anywhere; for some files only with a pattern, as above (with OUT: $(OUT)/peterson.tso.%: K = 3):
#   K           entries of each store buffer
#   METHOD      program, cubes or predicates
#   CHECKFLAGS  more options of ebb-check, such as --timeout 60

EBB        ?=
SRC        ?=
OUT        ?=
SETTINGS   ?= $(filter-out $(_ebb_mk),$(_ebb_makefiles))
K          ?= 1
METHOD     ?= program
CHECKFLAGS ?=

_ebb_makefiles := $(MAKEFILE_LIST)
_ebb_mk  := $(lastword $(MAKEFILE_LIST))
_ebb_bin  = $(if $(EBB),$(EBB:/=)/)
_ebb_src := $(if $(SRC),$(SRC:/=)/)
_ebb_out := $(if $(OUT),$(OUT:/=)/)

# The first rule of a Makefile is what `make` alone makes; rules with patterns and names with dots are not counted.
.DELETE_ON_ERROR:
_ebb_kinds := ir.json sc.bp verdict.json $(foreach model,tso pso rma,$(model).ir.json $(model).bp $(model).mended.ebb)
.PRECIOUS: $(foreach kind,$(_ebb_kinds),$(_ebb_out)%.$(kind))

$(_ebb_out)%.ir.json: $(_ebb_src)%.ebb
	@mkdir -p $(@D)
	$(_ebb_bin)ebb-parse -o $@ $<

# Of these two rules make takes the first if the file with predicates is there.
$(_ebb_out)%.sc.bp: $(_ebb_out)%.ir.json $(_ebb_src)%.preds.yaml
	$(_ebb_bin)ebb-abstract --quiet --preds $(word 2,$^) -o $@ $<
$(_ebb_out)%.sc.bp: $(_ebb_out)%.ir.json
	$(_ebb_bin)ebb-abstract --quiet -o $@ $<

$(_ebb_out)%.tso.ir.json: $(_ebb_out)%.ir.json $(SETTINGS)
	$(_ebb_bin)ebb-reduce --model tso -k $(K) -o $@ $<
$(_ebb_out)%.pso.ir.json: $(_ebb_out)%.ir.json $(SETTINGS)
	$(_ebb_bin)ebb-reduce --model pso -k $(K) -o $@ $<

$(_ebb_out)%.rma.ir.json: $(_ebb_out)%.ir.json
	$(_ebb_bin)ebb-reduce --model rma -o $@ $<

$(_ebb_out)%.tso.bp: $(_ebb_out)%.sc.bp $(_ebb_out)%.tso.ir.json $(SETTINGS)
	$(_ebb_bin)ebb-extrapolate --quiet --from $< --method $(METHOD) -o $@ $(word 2,$^)
$(_ebb_out)%.pso.bp: $(_ebb_out)%.sc.bp $(_ebb_out)%.pso.ir.json $(SETTINGS)
	$(_ebb_bin)ebb-extrapolate --quiet --from $< --method $(METHOD) -o $@ $(word 2,$^)

$(_ebb_out)%.rma.bp: $(_ebb_out)%.sc.bp $(_ebb_out)%.rma.ir.json
	$(_ebb_bin)ebb-extrapolate --quiet --from $< -o $@ $(word 2,$^)

# Exit codes up to 2 are verdicts if there is a verdict; a Python that cannot start ebb-check also exits with 1.
$(_ebb_out)%.verdict.json: $(_ebb_out)%.bp $(SETTINGS)
	@rm -f $@
	$(_ebb_bin)ebb-check --quiet $(CHECKFLAGS) -o $@ $< || { test $$? -le 2 && test -s $@; }

$(_ebb_out)%.safe: $(_ebb_out)%.verdict.json
	@grep -q '^  "verdict": "safe"' $< || { echo '$<: not safe' >&2; exit 1; }
	@touch $@

# $(1) is the model. $(2) is the file with predicates, or nothing: make takes the first of two such rules if it is there.
define _ebb_mended
$(_ebb_out)%.$(1).mended.ebb $(_ebb_out)%.$(1).fences.txt: $(_ebb_src)%.ebb $(2)
	@mkdir -p $$(@D)
	$$(_ebb_bin)ebb fences --quiet --no-times --model $(1) $(if $(2),--predicates $$(word 2,$$^)) \
	  -o $(_ebb_out)$$*.$(1).mended.ebb $$< > $(_ebb_out)$$*.$(1).fences.txt \
	  || { cat $(_ebb_out)$$*.$(1).fences.txt >&2; exit 1; }
$(_ebb_out)%.$(1).mended.verification.json: $(_ebb_out)%.$(1).mended.ebb $(2)
	$$(_ebb_bin)ebb verify --quiet --no-times --model $(1) $(if $(2),--predicates $$(word 2,$$^)) --json -o $$@ $$< \
	  || { test $$$$? -eq 2 && test -s $$@; }
endef
$(foreach model,tso pso rma,$(eval $(call _ebb_mended,$(model),$(_ebb_src)%.preds.yaml))$(eval $(call _ebb_mended,$(model),)))
