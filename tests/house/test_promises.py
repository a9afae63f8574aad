"""What qnet promises of untrusted input, budgets and files, and the tests that hold each promise: these exist."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

PROMISES: dict[str, tuple[str, ...]] = {
    "a file is replaced as one, or not changed": (
        "cli/test_bytes.py::test_a_file_is_replaced_as_one",
        "cli/test_bytes.py::test_of_two_writers_the_last_complete_one_wins",
        "cli/test_bytes.py::test_a_file_size_limit_leaves_no_file",
    ),
    "the finished rows of an interrupted run stay, under a name that says so": (
        "cli/test_bytes.py::test_an_interrupted_stream_keeps_its_complete_pieces_under_another_name",
        "cli/test_bytes.py::test_a_signal_leaves_the_finished_rows",
    ),
    "nothing is written over what is read": (
        "cli/test_bytes.py::test_an_output_over_what_is_read_is_refused",
        "cli/test_bytes.py::test_standard_input_and_output_are_not_overwritten",
        "cli/test_bytes.py::test_a_file_that_is_read_is_called_so",
    ),
    "every byte is written, or the exit code is not 0": (
        "cli/test_bytes.py::test_a_pipe_that_does_not_block_gets_every_byte",
        "cli/test_bytes.py::test_a_file_size_limit_is_reported",
        "cli/test_bytes.py::test_a_full_device_is_reported",
    ),
    "every byte of standard input is read, also of a pipe that does not block": (
        "cli/test_slow_input.py::test_input_in_pieces_is_read_to_its_end",
        "cli/test_slow_input.py::test_standard_input_is_read_in_one_place",
    ),
    "no row is lost, whatever is wrong with it": (
        "cli/test_bytes.py::test_rows_keep_their_text_and_are_counted",
        "cli/test_bytes.py::test_bad_lines_of_json_keep_their_text",
        "questions/test_map.py::test_a_row_with_a_stray_quotation_mark_is_not_read_and_keeps_its_text",
        "questions/test_map.py::test_rows_that_run_over_lines_are_counted_once",
        "questions/test_map.py::test_a_key_of_the_answers_that_comes_later_is_a_fault_of_its_row",
    ),
    "any real number of Python is a number, and nothing else is": (
        "front/test_numbers.py::test_every_door_takes_it",
        "front/test_numbers.py::test_no_door_takes_it",
        "front/test_numbers.py::test_a_masked_cell_is_an_empty_one",
    ),
    "an assertion on an undefined figure is false, and its cell is not ok": (
        "questions/test_undefined.py::test_an_assertion_on_an_undefined_figure_is_false",
        "questions/test_undefined.py::test_an_assertion_over_a_sweep_on_an_infinite_figure_is_false",
        "questions/test_undefined.py::test_a_point_with_an_undefined_cell_is_not_ok",
    ),
    "operations and memory are one account, asked in every loop": (
        "budget/test_budget_account.py::test_what_is_spent_adds_up_to_the_limit",
        "budget/test_budget_account.py::test_whoever_goes_on_without_operations_answers_nothing",
        "budget/test_budget_of_studies.py::test_commands_of_many_solutions_have_the_options_of_a_budget",
        "budget/test_refused_in_time.py::test_an_approximation_that_goes_on_is_stopped",
        "budget/test_refused_in_time.py::test_the_states_of_a_chain_are_counted",
    ),
    "small inputs are answered or refused within ten seconds and a gigabyte": (
        "budget/test_refused_in_time.py::test_a_hold_of_very_many_customers_is_refused_before_its_tables_are_made",
        "budget/test_refused_in_time.py::test_a_line_of_very_many_customers_is_filled_at_once",
        "budget/test_refused_in_time.py::test_a_chain_of_very_many_customers_is_left_to_other_methods",
        "budget/test_refused_in_time.py::test_a_knee_beyond_millions_of_customers_stops_within_the_memory",
        "budget/test_refused_in_time.py::test_times_that_use_waits_leave_half_of_the_budget_to_the_answer",
    ),
    "a batch is cut to the budget, and never worse for its size": (
        "budget/test_refused_in_time.py::test_a_batch_is_exact_or_refused_and_never_worse_for_its_size",
    ),
    "patterns on untrusted text take a time that grows as the text": (
        "house/test_patterns.py::test_every_pattern_takes_a_time_that_grows_as_the_text",
    ),
    "an interrupt prints no traceback": (
        "cli/test_bytes.py::test_an_interrupt_while_modules_load_leaves_no_traceback",
        "cli/test_terminal.py::test_an_interrupt_is_no_traceback",
    ),
    "arithmetic without a value has a reason with the expression and the values": (
        "questions/test_undefined.py::test_solve_states_the_expression_and_the_values",
        "questions/test_undefined.py::test_a_sweep_states_the_same",
        "questions/test_undefined.py::test_why_states_the_same",
        "questions/test_undefined.py::test_a_limit_of_no_capacity_is_named",
        "questions/test_undefined.py::test_a_store_that_is_drained_in_no_time_is_never_full",
    ),
    "every parameter of every model at the ends of its range, in every question": (
        "questions/test_parameter_ends.py::test_the_slice_holds_every_model_and_every_question",
        "questions/test_parameter_ends.py::test_every_question_is_answered_at_an_extreme_or_refused_in_words",
    ),
    "a class without service time never waits, exactly": (
        "product/test_product_zero_times.py::test_who_does_not_come_does_not_wait_and_the_answer_is_exact",
        "product/test_product_zero_times.py::test_the_figure_is_that_of_the_markov_chain",
    ),
    "what check passes, solve does not refuse as invalid": (
        "language/test_check_sound.py::test_an_extreme_number_is_refused_by_the_check_or_not_as_invalid",
    ),
    "Python's door raises qnet's errors only": (
        "front/test_python_door.py::test_every_public_callable_is_tried",
        "front/test_python_door.py::test_a_wrong_argument_is_refused_in_words_or_answered",
    ),
    "no warning of numpy": ("cli/test_no_warnings.py::test_every_command_is_run_with_warnings_as_errors",),
    "extremes have an answer, or a refusal by name": (
        "budget/test_extremes.py::test_ten_thousand_stations_are_answered",
        "budget/test_extremes.py::test_a_thousand_classes_are_answered",
        "budget/test_extremes.py::test_customers_do_not_wait_for_a_billion_servers",
        "budget/test_extremes.py::test_two_million_servers_have_their_waiting_probability",
        "budget/test_extremes.py::test_composite_bounds_of_a_think_time_of_a_century_do_not_cross",
        "budget/test_extremes.py::test_a_demand_is_answered_or_refused_by_name",
        "budget/test_refused_in_time.py::test_very_many_classes_in_order_of_arrival_are_answered_with_a_warning",
    ),
    "formulas, links and control characters in cells are inert": (
        "cli/test_safe_csv.py::test_formulas_in_rows_get_an_apostrophe_and_numbers_none",
        "reports/test_report_markdown.py::test_no_text_is_a_mention_or_a_link",
        "cli/test_terminal.py::test_control_characters_of_rows_are_spelled_out_on_a_terminal_only",
    ),
    "inputs at random have an answer or a reason, and failures of the past stay mended": (
        "fuzz/test_fuzz.py::test_two_thousand_inputs_have_an_answer_or_a_reason",
        "fuzz/test_fuzz.py::test_every_failure_of_the_past_is_mended",
        "fuzz/test_fuzz_watch.py::test_failures_are_seen",
    ),
}
"""Promise -> the tests that fail where it is broken, by file and name."""


@pytest.mark.parametrize("promise", PROMISES)
def test_the_tests_of_a_promise_exist(promise: str):
    missing: list[str] = []
    for entry in PROMISES[promise]:
        file, _, name = entry.partition("::")
        path = TESTS / file
        tree = ast.parse(path.read_text()) if path.exists() else ast.Module([], [])
        if name not in {item.name for item in tree.body if isinstance(item, ast.FunctionDef)}:
            missing.append(entry)
    assert PROMISES[promise] and not missing
