"""Reports: one answer as columns and rows, one small renderer per format.

Begin at `report.Report`; `render` picks the renderer by the table of `qnet.formats`: `text_table`, `csv_`, `json_`,
`jsonl`, `markdown`, `html_`, `latex`. A drawing is prepared once, as a `figure`, which `chart`, `svg` and
`figure_files` draw. A new format is one file and one row of that table.
May import no other folder: nothing here knows queueing.
"""
