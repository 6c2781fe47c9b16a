# Names the lessons and what can be done with them, and hands the work to the scripts in tools/.
# `make` alone prints the help. Paths are relative throughout: make cannot handle a checkout whose path has spaces otherwise.

ifneq ($(filter 3.% ,$(MAKE_VERSION)),)
$(error This needs GNU make 4; this is $(MAKE_VERSION). On macOS: brew install make, then gmake)
endif
# make -f path/to/Makefile, from elsewhere: the same in the workbook's folder.
ifeq ($(wildcard tools/messages.sh),)
goals := $(or $(MAKECMDGOALS),help)
.PHONY: $(goals)
$(firstword $(goals)):
	@$(MAKE) --no-print-directory -C '$(patsubst %Makefile,%,$(strip $(MAKEFILE_LIST)))' $(goals)
$(wordlist 2,$(words $(goals)),$(goals)): $(firstword $(goals))
	@:
else

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.PRECIOUS: build/configuration
.DEFAULT_GOAL := help

# --- the words ---

# A lesson's program is lesson03.cu or, of a lesson about Python, lesson27.py. lesson11b_lookback is the second part of lesson 11, and
# lesson03b_operators a further exercise of lesson 03, without a program.
folders   := $(patsubst lessons/%/,%,$(sort $(wildcard lessons/lesson[0-9][0-9]_*/ lessons/lesson[0-9][0-9][a-z]_*/)))
number_of  = $(patsubst lesson%,%,$(firstword $(subst _, ,$(1))))
lessons   := $(foreach folder,$(folders),$(if $(wildcard lessons/$(folder)/lesson*.cu lessons/$(folder)/lesson*.py),lesson$(call number_of,$(folder))))
exercises := $(foreach folder,$(folders),$(if $(wildcard $(addprefix lessons/$(folder)/,exercise.cu exercise.py exercise.cpp hints.md) solutions/$(folder)/solution.cu),exercise$(call number_of,$(folder))))

lesson_actions   := run test sanitize profile view ptx sass
exercise_actions := run sanitize profile view ptx sass hint solution reset watch grade
hints            := $(exercises:exercise%=hint%)
commands         := help progress doctor lab notebooks student-copy bench test clean format new record
variables        := NVCC NVCCFLAGS NVCC_CCBIN ARCH BACKEND SIZE SEED V TIMEOUT KERNEL LINE OUT CSV JSON NO_COLOR FORCE N SUITE FILE STUDENT BASE CHECK WHEELS VERBOSE QUICK CC CUDA_HOME TOOL LESSON LIMIT NO_BROWSER PYTHON ROSTER JOBS STRICT TODO UNSAFE
words            := $(sort $(lessons) $(exercises) $(hints) $(lesson_actions) $(exercise_actions) $(commands))
export $(foreach name,$(filter-out CC,$(variables)),$(if $($(name)),$(name))) # nvcc rejects an empty NVCC_CCBIN

# --- what was asked, checked before anything is built ---

goals    := $(MAKECMDGOALS)
subjects := $(filter $(lessons) $(exercises),$(goals))
actions  := $(filter $(lesson_actions) $(exercise_actions),$(goals))
quoted    = '$(subst ','\'',$(1))'
nearest   = $(shell python3 tools/workbook nearest_word $(call quoted,$(1)) $(2))

unknown := $(firstword $(filter-out $(words) build/lessons/%,$(goals)))
ifneq ($(unknown),)
$(error '$(unknown)' is no word of this workbook.$(call nearest,$(unknown),$(words) $(folders)) Type make to see all of them)
endif

override_names := $(foreach setting,$(subst \ ,_,$(MAKEOVERRIDES)),$(firstword $(subst =, ,$(setting))))
unknown := $(firstword $(filter-out $(variables) MAKEFLAGS,$(override_names)))
ifneq ($(unknown),)
near := $(call nearest,$(unknown),$(variables))
$(error '$(unknown)' is no variable of this workbook.$(if $(near),$(near) Type make to see all of them, It is one of $(sort $(variables))))
endif

ifneq ($(filter-out auto gpu cpu,$(BACKEND)),)
$(error BACKEND=$(BACKEND): it is auto, gpu or cpu)
endif

ifneq ($(TIMEOUT),)
ifneq ($(shell case $(call quoted,$(TIMEOUT)) in (*[!0-9]*) echo wrong ;; esac),)
$(error TIMEOUT=$(TIMEOUT): it is a number of seconds, as in TIMEOUT=20; 0 is no limit)
endif
endif

ifeq ($(subjects),)
ifneq ($(filter-out test watch grade,$(actions)),)
$(error $(firstword $(filter-out test watch grade,$(actions))) what? Name a lesson or an exercise too, for example: \
make $(if $(filter hint solution reset,$(actions)),exercise03,lesson03) $(firstword $(filter-out test watch grade,$(actions))))
endif
endif

define check_actions # subject, the actions it has
ifneq ($(filter-out $(2),$(actions)),)
$$(error $(1) has no action '$(firstword $(filter-out $(2),$(actions)))'; it has: $(2))
endif
endef
$(foreach subject,$(filter $(lessons),$(subjects)),$(eval $(call check_actions,$(subject),$(lesson_actions))))
$(foreach subject,$(filter $(exercises),$(subjects)),$(eval $(call check_actions,$(subject),$(exercise_actions))))

# A student's copy of the workbook has graders, and no tests.
run_tests := $(if $(wildcard tests/run),sh tests/run,echo "error: this copy of the workbook has no tests. make exercise01 grades an exercise." >&2; false)

# --- lessons and exercises ---

define lesson_rules # lesson03
build/lessons/$(1): $(or $(wildcard lessons/$(1)_*/$(1).cu),$(wildcard lessons/$(1)_*/$(1).py $(addprefix lessons/$(1)_*/,requirements.txt *.cu *.h package/*.t* package/*/*.*)) build/lessons/python.asked) \
  build/configuration $(wildcard tools/compile/build*.sh tools/python/*)
	@sh tools/compile/build.sh $$< $$@
$(1): build/lessons/$(1)
	@$(if $(actions),:,python3 tools/workbook next_steps $(1))
$(1).run: build/lessons/$(1)
	@sh tools/actions/run.sh $$<
$(1).profile $(1).view: build/lessons/$(1)
	@sh tools/actions/$$(subst $(1).,,$$@).sh $$<
$(1).sanitize: build/lessons/$(1)
	@sh tools/actions/sanitize.sh $$<
$(1).ptx $(1).sass: build/configuration
	@sh tools/actions/disassemble.sh $(1) $$(subst $(1).,,$$@)
$(1).test: build/configuration
	@$(run_tests) lesson $(1:lesson%=%)
.PHONY: $(1) $(1).run $(1).sanitize $(1).profile $(1).view $(1).ptx $(1).sass $(1).test
endef
$(foreach lesson,$(lessons),$(eval $(call lesson_rules,$(lesson))))

# What an exercise's own program is made from, beside the exercise.
calls_sources := $(wildcard tools/compile/build.sh tools/workbook/build_exercise.py tools/workbook/build_calls.py tools/grading/*.cpp tools/grading/*.h tools/grading/*.py)

# Ctrl-C is a way to end it, not a failure of make's.
watch := trap : INT; python3 tools/workbook watch

# One that is missing is told by the scripts.
lessons/%/exercise.cu: ;

define exercise_rules # exercise03
$(1): build/configuration
	@$(if $(actions),:,python3 tools/workbook exercise $(1:exercise%=%) grade)
build/exercises/lesson$(1:exercise%=%)/exercise: $(wildcard $(addprefix $(1:exercise%=lessons/lesson%_*/),exercise.cu exercise.cpp exercise.py grader.cpp grader.py calls.py)) \
  $(if $(wildcard $(1:exercise%=lessons/lesson%_*/grader.py)),build/lessons/python.asked) build/configuration $(calls_sources)
	@python3 tools/workbook build_exercise $(1:exercise%=%)
$(1).run: build/exercises/lesson$(1:exercise%=%)/exercise
	@sh tools/actions/run.sh $$<
	@echo "This was called, and not judged: make $(1) grades it." >&2
$(1).sanitize $(1).profile $(1).view: build/exercises/lesson$(1:exercise%=%)/exercise
	@sh tools/actions/$$(subst $(1).,,$$@).sh $$<
$(1).ptx $(1).sass: build/configuration
	@sh tools/actions/disassemble.sh $(1) $$(subst $(1).,,$$@)
$(1).hint $(1).solution $(1).reset: build/configuration
	@python3 tools/workbook exercise $(1:exercise%=%) $$(subst $(1).,,$$@)
$(1).watch: build/configuration
	@$$(watch) $(1:exercise%=%) || [ $$$$? = 130 ]
$(1).grade: build/configuration
	@python3 tools/workbook grade $(1:exercise%=%)
.PHONY: $(1) $(addprefix $(1).,$(exercise_actions))
endef
$(foreach exercise,$(exercises),$(eval $(call exercise_rules,$(exercise))))

$(hints):
	@python3 tools/workbook exercise $(@:hint%=%) hint

-include $(wildcard build/lessons/*.d build/exercises/lesson*/exercise.d)

# Rewritten only when the machine or the flags have changed, so a warm build stops here.
build/configuration: FORCE | $(filter clean,$(goals))
	@sh tools/toolchain/configure.sh
FORCE:

# Which Python was asked for: a program that is ready for another one is made ready anew.
build/lessons/python.asked: FORCE | build/configuration
	@mkdir -p $(@D)
	@[ -f $@ ] && [ "$$(cat $@)" = "$${PYTHON:-}" ] || printf '%s\n' "$${PYTHON:-}" >$@

# --- actions on the subjects, one after the other in the order given, also with -j ---

steps := $(filter clean,$(goals)) $(foreach action,$(actions),$(addsuffix .$(action),$(subjects)))
previous :=
$(foreach step,$(steps),$(eval $(step): | $(previous))$(eval previous := $(step)))

run sanitize profile view ptx sass hint solution reset: $(filter-out clean,$(steps))
	@:

ifeq ($(subjects),)
test: build/configuration
	@$(run_tests)
watch: build/configuration
	@$(watch) || [ $$? = 130 ]
grade: build/configuration
	@python3 tools/workbook grade
else
test watch grade: $(filter-out clean,$(steps))
	@:
endif

# --- commands ---

help:
	@python3 tools/workbook help
progress: $(if $(CHECK),build/configuration)
	@python3 tools/workbook progress
doctor:
	@command -v python3 >/dev/null || { echo 'fail  python         not found: the tools need Python 3.9 or newer (sudo apt-get install python3)' >&2; exit 1; }
	@python3 tools/workbook doctor
lab: build/configuration
	@sh tools/notebooks/notebooks.sh lab
notebooks: build/configuration
	@sh tools/notebooks/notebooks.sh execute
bench: build/configuration
	@sh tools/actions/bench.sh
format:
	@python3 tools/workbook format
new:
	@python3 tools/workbook new_lesson $(call quoted,$(LESSON))
record:
	@python3 tools/workbook record $(call quoted,$(LESSON))
student-copy:
	@python3 tools/workbook student_copy
clean:
	@rm -rf build 2>/dev/null || { echo "error: build/ cannot be removed: it belongs to another user." >&2; exit 1; }

.PHONY: FORCE $(words)
endif
