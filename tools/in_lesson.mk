# Included by the Makefile in each lesson's folder: there, `make run` is the workbook's `make lesson03 run`, `make exercise` grades
# exercise.cu, and every other word means what it means in the workbook's folder. Where there is no program, all is about the exercise.
number := $(patsubst lesson%,%,$(firstword $(subst _, ,$(lastword $(notdir $(CURDIR))))))
asked  := $(or $(MAKECMDGOALS),lesson)
whole  := $(if $(wildcard lesson$(number).cu lesson$(number).py),lesson,exercise)$(number)
goals  := $(patsubst lesson,$(whole),$(patsubst exercise,exercise$(number),$(asked)))
named  := $(filter lesson% exercise% hint0% hint1% hint2% hint3%,$(goals))
subject := $(if $(named),,$(if $(filter run test sanitize profile view ptx sass,$(goals)),$(whole)))
subject += $(if $(named),,$(if $(filter hint solution reset watch grade,$(goals)),exercise$(number)))

.PHONY: $(asked)
$(firstword $(asked)):
	@$(MAKE) --no-print-directory -C ../.. $(strip $(subject)) $(goals)
$(wordlist 2,$(words $(asked)),$(asked)): $(firstword $(asked))
	@:
