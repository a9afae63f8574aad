"""Reports: one answer as columns and rows, one small renderer per format.

Begin at `report.Report`; `render` picks the renderer by the table of formats: `text_table`, `csv_`, `json_`,
`markdown`, `html_`. Drawings are made once, as a `figure`, which `chart`, `svg` and `figure_files` draw.
Nothing here knows queueing. A new format is one file and one row in `render`.
"""
