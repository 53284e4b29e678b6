"""What stands for harness.Report in tests of the scripts of benchmarks/."""


class FakeReport:
    """Takes what a script would print."""

    def __init__(self):
        self.lines, self.rows, self.tables = [], [], []

    def line(self, text=""):
        self.lines.append(text)

    def table(self, header, rows):
        assert all(len(row) == len(header) for row in rows)
        self.rows += rows
        self.tables.append([header, *rows])

    def value(self, name, column=2):
        """Of the first row that begins so."""
        row = next(row for row in self.rows if row[0].startswith(name))
        return row[column]
