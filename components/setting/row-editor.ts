import { indentJson } from "./shown-text";

/** A row of a visual editor. Cells hold the typed text, which may not be valid yet. */
export type Row = { id: number; cells: Readonly<Record<string, string>> };
export type Cells = Row["cells"];

/** Each is a message key under "setting.row". */
export type CellIssue = "number" | "seconds" | "nameMissing" | "nameTaken" | "groupTaken" | "fallbacks";
/** Keys are "row id.cell". */
export type CellIssues = Readonly<Record<string, CellIssue>>;

/** Converts between the JSON texts of some options and rows. */
export type RowEditor = {
  /** The options that make up the rows, in the order of the texts. */
  keys: readonly string[];
  /** Null when a text does not have the expected shape. */
  read: (texts: readonly string[]) => Cells[] | null;
  write: (rows: readonly Cells[], texts: readonly string[]) => string[];
  check: (rows: readonly Row[]) => CellIssues;
};

export type JsonMap = Record<string, unknown>;

export function parseMap(text: string): JsonMap | null {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonMap) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether a text is a number from 0 to 10⁹ without exponent. */
export function isAmount(text: string): boolean {
  return /^\d{1,12}(\.\d{1,20})?$/.test(text.trim()) && Number(text) <= 1e9;
}

/** The entries as JSON. Known names keep their old order, so that a diff shows only what changed. */
export function writeMap(entries: ReadonlyMap<string, unknown>, before: string): string {
  return JSON.stringify(inOrderOf(parseMap(before) ?? {}, entries), null, 2);
}

export function inOrderOf(before: JsonMap, entries: ReadonlyMap<string, unknown>): JsonMap {
  const known = Object.keys(before).filter((name) => entries.has(name));
  const fresh = [...entries.keys()].filter((name) => !known.includes(name));
  return Object.fromEntries([...known, ...fresh].map((name) => [name, entries.get(name)]));
}

/** Reports missing and duplicate names. */
export function checkNames(rows: readonly Row[], taken: CellIssue): CellIssues {
  const seen = new Set<string>();
  const issues: Record<string, CellIssue> = {};
  for (const row of rows) {
    const name = (row.cells.name ?? "").trim();
    if (name === "") issues[`${row.id}.name`] = "nameMissing";
    else if (seen.has(name)) issues[`${row.id}.name`] = taken;
    seen.add(name);
  }
  return issues;
}

function checkAmounts(rows: readonly Row[], cell: string): CellIssues {
  const bad = rows.filter((row) => !isAmount(row.cells[cell] ?? ""));
  return Object.fromEntries(bad.map((row) => [`${row.id}.${cell}`, "number"] as const));
}

const numberText = (value: unknown) => (value === undefined ? "" : String(value));

/** Group ratios, and the groups that users may choose with their descriptions (GroupRatio, UserUsableGroups). */
export const groupEditor: RowEditor = {
  keys: ["GroupRatio", "UserUsableGroups"],
  read: ([ratioText = "", usableText = ""]) => {
    const [ratios, usable] = [parseMap(ratioText), parseMap(usableText)];
    if (!ratios || !usable) return null;
    return [...new Set([...Object.keys(ratios), ...Object.keys(usable)])].map((name) => ({
      name,
      ratio: numberText(ratios[name]),
      usable: String(Object.hasOwn(usable, name)),
      description: Object.hasOwn(usable, name) ? String(usable[name]) : "",
    }));
  },
  write: (rows, [ratioText = "", usableText = ""]) => {
    const ratios = rows.filter((row) => row.ratio?.trim()).map((row) => [nameOf(row), Number(row.ratio)] as const);
    const usable = rows
      .filter((row) => row.usable === "true")
      .map((row) => [nameOf(row), row.description ?? ""] as const);
    return [writeMap(new Map(ratios), ratioText), writeMap(new Map(usable), usableText)];
  },
  check: (rows) => ({ ...checkAmounts(rows, "ratio"), ...checkNames(rows, "groupTaken") }),
};

/** Group → factor on the top-up price (TopupGroupRatio). */
export const topUpEditor: RowEditor = {
  keys: ["TopupGroupRatio"],
  read: ([text = ""]) => {
    const map = parseMap(text);
    return map && Object.entries(map).map(([name, ratio]) => ({ name, ratio: numberText(ratio) }));
  },
  write: (rows, [text = ""]) => [writeMap(new Map(rows.map((row) => [nameOf(row), Number(row.ratio)])), text)],
  check: (rows) => ({ ...checkAmounts(rows, "ratio"), ...checkNames(rows, "groupTaken") }),
};

/** Chat presets: a list of { label: address } (Chats). */
export const chatEditor: RowEditor = {
  keys: ["Chats"],
  read: ([text = ""]) => {
    const list = parseJson(text);
    if (!Array.isArray(list)) return null;
    const maps = list.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
    if (maps.length < list.length) return null;
    return maps.flatMap((map) => Object.entries(map).map(([name, address]) => ({ name, address: String(address) })));
  },
  write: (rows) => [indentJson(JSON.stringify(rows.map((row) => ({ [nameOf(row)]: (row.address ?? "").trim() }))))],
  check: (rows) => {
    const missing = rows.filter((row) => (row.cells.name ?? "").trim() === "");
    return Object.fromEntries(missing.map((row) => [`${row.id}.name`, "nameMissing"] as const));
  },
};

export const nameOf = (cells: Cells) => (cells.name ?? "").trim();
