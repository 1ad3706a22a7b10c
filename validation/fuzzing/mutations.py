"""Ways in which a valid file goes wrong: of its sheet, or of its bytes."""

import unicodedata

CELLS = [
    "",
    " ",
    "nan",
    "-nan",
    "NaN",
    "NA",
    "n/a",
    "None",
    "null",
    "inf",
    "-inf",
    "1e999",
    "TRUE",
    "false",
    "yes",
    "0x10",
    "1_000",
    "１",
    "1,5",
    "85%",
    "=1+1",
    "-",
    "-1",
    "0.5",
    "2",
    "300",
    "1e-400",
    "1e5",
    "+1",
    ".5",
    "5.",
    " 1 ",
    "[1]",
    '["a", "b"]',
    "['a']",
    "{}",
    "a > b",
    "a < b",
    "a = b = c",
    "a > > b",
    "a > b, c",
    "b;a",
    "i2 i1",
    "9007199254740992",
    "9007199254740993",
    "18446744073709551617",
    "1" * 400,
    "x" * 2000,
    "\u202eabc",
    "\x1b[31m",
    "A\0",
    "q1\0",
    "1\x1c",
    "\x85q1",
    "é",
    "e\u0301",
    "A",
    "a",
    "B ",
    "tie",
    "left",
    "model_a",
    "both",
    "unclassified",
    "Total",
    "item",
    "score",
    "q1",
    "Q1",
    "q1 ",
    "line\nbreak",
    'quo"te',
    "\u2028",
    "\u00a0",
]  # fmt: skip
TYPED = [
    True,
    False,
    None,
    1,
    0,
    2,
    0.5,
    -1,
    10**400,
    2**53 + 1,
    float("nan"),
    [1, 2],
    ["a", "b"],
    {"a": 1},
]
HEADS = [
    "item",
    "id",
    "system",
    "model",
    "score",
    "gold",
    "label",
    "dataset",
    "cluster",
    "epoch",
    "tp",
    "winner",
    "ties",
    "wins",
    "A",
    "a",
    "",
    " ",
    "order",
    "rank",
    "judge",
    "Unnamed: 0",
    "system_a",
]


def _at(rng, sheet):
    return rng.randrange(len(sheet.rows)), rng.randrange(len(sheet.header))


def shuffle_rows(rng, sheet):
    rng.shuffle(sheet.rows)


def shuffle_columns(rng, sheet):
    by = rng.sample(range(len(sheet.header)), len(sheet.header))
    sheet.header = [sheet.header[k] for k in by]
    sheet.rows = [[row[k] for k in by] for row in sheet.rows if len(row) == len(by)] or sheet.rows


def odd_cell(rng, sheet):
    i, j = _at(rng, sheet)
    sheet.rows[i][j] = rng.choice(CELLS)


def typed_cell(rng, sheet):
    i, j = _at(rng, sheet)
    sheet.rows[i][j] = rng.choice(TYPED)


def copied_cell(rng, sheet):
    (i, j), (k, m) = _at(rng, sheet), _at(rng, sheet)
    sheet.rows[i][j] = sheet.rows[k][m]


def swapped_cells(rng, sheet):
    (i, j), (k, m) = _at(rng, sheet), _at(rng, sheet)
    sheet.rows[i][j], sheet.rows[k][m] = sheet.rows[k][m], sheet.rows[i][j]


def respelled_cell(rng, sheet):
    i, j = _at(rng, sheet)
    cell = sheet.rows[i][j]
    ways = [
        str.upper,
        str.lower,
        lambda t: f"{t} ",
        lambda t: f" {t}",
        lambda t: f"{t}\u200b",
        lambda t: unicodedata.normalize("NFD", t),
        lambda t: t.replace(" ", "  "),
        lambda t: t.replace(" ", "\u00a0"),
        lambda t: f"{t}.0",
    ]
    sheet.rows[i][j] = rng.choice(ways)(str(cell))


def respelled_column(rng, sheet):
    """Numbers of a column as others write them."""
    j = rng.randrange(len(sheet.header))
    way = rng.choice(["{:.1f}", "{:.2e}", "+{}", " {} ", "{}"])
    for row in sheet.rows:
        if isinstance(row[j], int | float) and not isinstance(row[j], bool):
            row[j] = way.format(row[j])


def dropped_row(rng, sheet):
    del sheet.rows[rng.randrange(len(sheet.rows))]


def repeated_row(rng, sheet):
    row = list(rng.choice(sheet.rows))
    sheet.rows.insert(rng.randrange(len(sheet.rows) + 1), row)


def header_again(rng, sheet):
    sheet.rows.insert(rng.randrange(len(sheet.rows) + 1), list(map(str, sheet.header)))


def dropped_column(rng, sheet):
    j = rng.randrange(len(sheet.header))
    del sheet.header[j]
    for row in sheet.rows:
        del row[j]


def renamed_column(rng, sheet):
    sheet.header[rng.randrange(len(sheet.header))] = rng.choice(HEADS)


def respelled_header(rng, sheet):
    j = rng.randrange(len(sheet.header))
    sheet.header[j] = rng.choice([str.upper, lambda t: f" {t}", lambda t: f"{t} "])(sheet.header[j])


def new_column(rng, sheet):
    name = rng.choice([*HEADS, "note", "prompt"])
    sheet.header.append(name)
    for row in sheet.rows:
        row.append(rng.choice(["x", "y", 1, 0, ""]))


def latency(rng, sheet):
    """A column that is no system: whoever reads it as one names the wrong winner."""
    numbers = [
        j
        for j in range(len(sheet.header))
        if all(isinstance(row[j], int | float) for row in sheet.rows)
    ]
    scores = max((row[j] for row in sheet.rows for j in numbers), default=9)
    least = max((min(row[j] for row in sheet.rows) for j in numbers), default=0)
    plain = sheet.kind == "read" and not {"score", "gold", "tp", "wins", "winner"} & {*sheet.header}
    if (
        not plain
        or len(numbers) < 2
        or scores > 1
        or least < 0
        or len(sheet.rows) < 2
        or sheet.notes
    ):
        return
    if not any(row[j] for row in sheet.rows for j in numbers):
        return
    sheet.header.append("latency_ms")
    for row in sheet.rows:
        row.append(rng.randint(200, 400))
    sheet.refuse = "a latency is no score"


def lost_cell(rng, sheet):
    row = rng.choice(sheet.rows)
    if row:
        del row[rng.randrange(len(row))]


def one_cell_more(rng, sheet):
    rng.choice(sheet.rows).append(rng.choice(CELLS))


SHEETS = (
    shuffle_rows,
    shuffle_columns,
    odd_cell,
    odd_cell,
    odd_cell,
    typed_cell,
    copied_cell,
    swapped_cells,
    respelled_cell,
    respelled_cell,
    respelled_column,
    dropped_row,
    repeated_row,
    header_again,
    dropped_column,
    renamed_column,
    respelled_header,
    new_column,
    latency,
    lost_cell,
    one_cell_more,
)


def truncated(rng, data):
    return data[: rng.randrange(len(data) + 1)]


def dropped_byte(rng, data):
    k = rng.randrange(len(data))
    return data[:k] + data[k + 1 :]


def flipped_bit(rng, data):
    k = rng.randrange(len(data))
    return data[:k] + bytes([data[k] ^ 1 << rng.randrange(8)]) + data[k + 1 :]


def added_bytes(rng, data):
    k = rng.randrange(len(data) + 1)
    odd = [
        b'"',
        b",",
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b" ",
        b"\t",
        b"{",
        b"]",
        b"\\u",
        b"\xe2\x80\xa8",
    ]
    return data[:k] + rng.choice(odd) + data[k:]


def repeated_part(rng, data):
    k, m = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:m] + data[k:m] + data[m:]


def lost_line_end(rng, data):
    ends = [k for k, byte in enumerate(data) if byte == 10] or [0]
    k = rng.choice(ends)
    return data[:k] + data[k + 1 :]


def other_line_ends(rng, data):
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n"]))


def other_delimiter(rng, data):
    return data.replace(b",", b";")


def marked(rng, data):
    return b"\xef\xbb\xbf" + data


def other_encoding(rng, data):
    return data.decode("utf-8", "replace").encode(
        rng.choice(["utf-16", "utf-16-le", "latin-1"]), "replace"
    )


BYTES = (
    truncated,
    dropped_byte,
    flipped_bit,
    flipped_bit,
    added_bytes,
    added_bytes,
    repeated_part,
    lost_line_end,
    other_line_ends,
    other_delimiter,
    marked,
    other_encoding,
)
