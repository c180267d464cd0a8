import { splitList } from "@/components/form/split-list";
import { isModelFallbacks } from "@/lib/model-fallbacks";
import { isLimitSeconds, isModelLimitOverrides, LIMIT_NAMES } from "@/lib/time-limits";
import { type Cells, checkNames, inOrderOf, isAmount, nameOf, parseMap, type RowEditor, writeMap } from "./row-editor";

/** Time limits by model; an empty cell is a limit that the model does not have (UpstreamModelLimits). */
export const modelLimitEditor: RowEditor = {
  keys: ["UpstreamModelLimits"],
  read: ([text = ""]) => {
    const map = parseMap(text);
    if (!isModelLimitOverrides(map) || !Object.keys(map).every(isPlain)) return null;
    return Object.entries(map).map(([name, limits]) => {
      const cells = LIMIT_NAMES.map((limit) => [limit, limits[limit] === undefined ? "" : String(limits[limit])]);
      return { name, ...Object.fromEntries(cells) };
    });
  },
  write: (rows, [text = ""]) => {
    const before = parseMap(text) ?? {};
    const entries = rows.map((row) => {
      const known = before[nameOf(row)];
      return [nameOf(row), inOrderOf(typeof known === "object" && known ? { ...known } : {}, limitsOf(row))] as const;
    });
    return [writeMap(new Map(entries), text)];
  },
  check: (rows) => {
    const bad = rows.flatMap(({ id, cells }) =>
      LIMIT_NAMES.filter((limit) => !isLimitText(cells[limit] ?? "")).map((limit) => `${id}.${limit}`),
    );
    return { ...Object.fromEntries(bad.map((cell) => [cell, "seconds"] as const)), ...checkNames(rows, "nameTaken") };
  },
};

const limitsOf = (row: Cells) =>
  new Map(LIMIT_NAMES.flatMap((limit) => (row[limit]?.trim() ? [[limit, Number(row[limit])] as const] : [])));

const isLimitText = (text: string) => text.trim() === "" || (isAmount(text) && isLimitSeconds(Number(text)));

/** Cells are trimmed; a name that begins or ends with a space can only be edited as JSON. */
const isPlain = (name: string) => name === name.trim();

/** Models that are asked in place of another one (ModelFallbacks); names with a comma can only be edited as JSON. */
export const fallbackEditor: RowEditor = {
  keys: ["ModelFallbacks"],
  read: ([text = ""]) => {
    const map = parseMap(text);
    if (!isModelFallbacks(map)) return null;
    const entries = Object.entries(map);
    const names = entries.flatMap(([name, models]) => [name, ...models]);
    if (!names.every(isPlain) || entries.some(([, models]) => models.some((model) => model.includes(",")))) return null;
    return entries.map(([name, models]) => ({ name, models: models.join(", ") }));
  },
  write: (rows, [text = ""]) => [
    writeMap(new Map(rows.map((row) => [nameOf(row), splitList(row.models ?? "")])), text),
  ],
  check: (rows) => {
    const bad = rows.filter(
      ({ cells }) => !isModelFallbacks({ [nameOf(cells) || "-"]: splitList(cells.models ?? "") }),
    );
    const issues = bad.map(({ id }) => [`${id}.models`, "fallbacks"] as const);
    return { ...Object.fromEntries(issues), ...checkNames(rows, "nameTaken") };
  },
};
