import { MEDIA_RATIOS, type MediaRatios } from "@/lib/billing/media-prices";
import { isModelMeterPrices, type MeterPrices } from "@/lib/meters";
import {
  type CellIssue,
  type Cells,
  checkNames,
  isAmount,
  type JsonMap,
  parseMap,
  type Row,
  type RowEditor,
  writeMap,
} from "./row-editor";

/** Built-in prices by model; they apply where a cell is empty. */
export type BuiltInPrices = Readonly<
  Record<string, { price?: number; ratio?: number; completion?: number; meters?: MeterPrices; media?: MediaRatios }>
>;

const MAPS = ["price", "ratio", "completion"] as const;
const MEDIA_AT = MAPS.length + 1;
const TOKENS_PER_PRICE = 1_000_000;

/**
 * Model prices. The rows are the union of ModelPrice, ModelRatio, CompletionRatio, ModelMeterPrices and the ratios of sound and pictures. A row with a price
 * per call is written without ratios and meters (A134: the price wins).
 */
export const pricingEditor: RowEditor = {
  keys: [
    "ModelPrice",
    "ModelRatio",
    "CompletionRatio",
    "ModelMeterPrices",
    ...MEDIA_RATIOS.map(({ option }) => option),
  ],
  read: (texts) => {
    const maps = texts.slice(0, MAPS.length).map(parseMap);
    const meters = parseMap(texts[MAPS.length] ?? "{}");
    const media = MEDIA_RATIOS.map((_, at) => parseMap(texts[MEDIA_AT + at] ?? "{}"));
    if ([...maps, ...media].some((map) => map === null) || !isModelMeterPrices(meters)) return null;
    const names = new Set([...maps, meters, ...media].flatMap((map) => Object.keys(map ?? {})));
    return [...names].map((name) => {
      const [price, ratio, completion] = maps.map((map) => (map && Object.hasOwn(map, name) ? String(map[name]) : ""));
      const amounts = { price: price ?? "", ratio: ratio ?? "", completion: completion ?? "" };
      const own = meters && Object.hasOwn(meters, name) ? (meters[name] as MeterPrices) : {};
      return withMediaCell(withMeterCell(pricingCells(name, amounts), own), mediaAt(media, name));
    });
  },
  write: (rows, texts) => {
    const numbers = MAPS.map((cell, index) => {
      const kept = rows.filter((row) => (cell === "price") === isPerCall(row) && (row[cell] ?? "").trim() !== "");
      return writeMap(new Map(kept.map((row) => [(row.name ?? "").trim(), Number(row[cell])])), texts[index] ?? "");
    });
    const metered = rows.filter((row) => !isPerCall(row) && row.meters);
    const meters = new Map(metered.map((row) => [(row.name ?? "").trim(), readMeterCell(row)]));
    const spoken = rows.filter((row) => !isPerCall(row) && row.media);
    const media = MEDIA_RATIOS.map(({ field }, at) => {
      const entries = spoken.flatMap((row): [string, number][] => {
        const ratio = readMediaCell(row)[field];
        return ratio === undefined ? [] : [[(row.name ?? "").trim(), ratio]];
      });
      return writeMap(new Map(entries), texts[MEDIA_AT + at] ?? "{}");
    });
    return [...numbers, writeMap(meters, texts[MAPS.length] ?? "{}"), ...media];
  },
  check: (rows) => {
    const issues: Record<string, CellIssue> = { ...checkNames(rows, "nameTaken") };
    for (const row of rows) {
      for (const cell of isPerCall(row.cells) ? (["price"] as const) : (["ratio", "completion"] as const)) {
        const text = (row.cells[cell] ?? "").trim();
        // An empty ratio means the built-in price. An empty price per call is an error, because the model would have no price.
        if (!isAmount(text) && (text !== "" || cell === "price")) issues[`${row.id}.${cell}`] = "number";
      }
    }
    return issues;
  },
};

type Amounts = { price: string; ratio: string; completion: string };

/** The cells of a model. Without `mode`, a model with a price is charged per call. */
export function pricingCells(name: string, amounts: Amounts, mode?: "call" | "ratio"): Cells {
  return { name, ...amounts, mode: mode ?? (amounts.price === "" ? "ratio" : "call") };
}

/** The cells with prices of meters, which are kept as JSON; none = the built-in ones apply. */
export function withMeterCell(cells: Cells, meters: MeterPrices): Cells {
  const { meters: _before, ...others } = cells;
  return Object.keys(meters).length === 0 ? others : { ...others, meters: JSON.stringify(meters) };
}

export function readMeterCell(cells: Cells): MeterPrices {
  return cells.meters ? (JSON.parse(cells.meters) as MeterPrices) : {};
}

/** The cells with ratios of sound and pictures, which are kept as JSON; none = the maker's apply. */
export function withMediaCell(cells: Cells, media: MediaRatios): Cells {
  const { media: _before, ...others } = cells;
  return Object.keys(media).length === 0 ? others : { ...others, media: JSON.stringify(media) };
}

export function readMediaCell(cells: Cells): MediaRatios {
  return cells.media ? (JSON.parse(cells.media) as MediaRatios) : {};
}

function mediaAt(maps: readonly (JsonMap | null)[], name: string): MediaRatios {
  const entries = MEDIA_RATIOS.flatMap(({ field }, at) => {
    const map = maps[at];
    return map && Object.hasOwn(map, name) ? [[field, Number(map[name])]] : [];
  });
  return Object.fromEntries(entries);
}

export function isPerCall(cells: Cells): boolean {
  return cells.mode === "call";
}

/** The price of a million tokens at a ratio, in currency units (contract §5: quota = ratio × tokens). */
export function toPrice(ratio: string, quotaPerUnit: number): string {
  return isAmount(ratio) ? decimal((Number(ratio) * TOKENS_PER_PRICE) / quotaPerUnit) : "";
}

/** The ratio at which a million tokens have that price. Text that is no number is returned as it is and refused later. */
export function toRatio(price: string, quotaPerUnit: number): string {
  if (!isAmount(price)) return price;
  return decimal((Number(price) * quotaPerUnit) / TOKENS_PER_PRICE);
}

/** The price of a million completion tokens, from both ratios. */
export function toCompletionPrice(ratio: string, completion: string, quotaPerUnit: number): string {
  if (!isAmount(ratio) || !isAmount(completion)) return "";
  return decimal((Number(ratio) * Number(completion) * TOKENS_PER_PRICE) / quotaPerUnit);
}

/** The completion ratio at which a million completion tokens have that price. */
export function toCompletionRatio(price: string, ratio: string, quotaPerUnit: number): string {
  if (!isAmount(price) || !isAmount(ratio) || Number(ratio) === 0) return price;
  return decimal((Number(price) * quotaPerUnit) / TOKENS_PER_PRICE / Number(ratio));
}

/** At most twelve significant digits, without exponent or trailing zeros. */
function decimal(value: number): string {
  return Number(value.toPrecision(12))
    .toFixed(12)
    .replace(/\.?0+$/, "");
}

/** The rows whose name contains the text, in any case. */
export function filterRows(rows: readonly Row[], text: string): Row[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter((row) => (row.cells.name ?? "").toLowerCase().includes(wanted));
}
