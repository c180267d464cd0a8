import { type Modality, readModalities } from "./modality";
import list from "./model-facts.json" with { type: "json" };

/** What the maker publishes of a model. A missing field is unknown, never 0 or none. */
export type ModelFacts = {
  vendor?: string;
  /** Tokens that a prompt and its answer may have together. */
  contextTokens?: number;
  /** Tokens of the longest answer, with what it thinks. */
  maxOutputTokens?: number;
  input?: readonly Modality[];
  output?: readonly Modality[];
};

/** [vendor, context, longest answer, what it takes, what it gives]; an empty text is unknown. */
type Row = readonly (string | number | null)[];

const NO_FACTS: ModelFacts = {};

const factsByModel = new Map<string, ModelFacts>(
  Object.entries(list as Record<string, Row>).map(([model, row]) => [model, readRow(row)]),
);
/** The same by the name in small letters and without a maker's prefix, as upstreams write it. */
const factsByBareName = new Map([...factsByModel].map(([model, facts]) => [bareName(model), facts]));

function readRow([vendor, context, output, takes, gives]: Row): ModelFacts {
  const input = readModalities(takes);
  const answers = readModalities(gives);
  return {
    ...(typeof vendor === "string" && vendor !== "" ? { vendor } : {}),
    ...(typeof context === "number" ? { contextTokens: context } : {}),
    ...(typeof output === "number" ? { maxOutputTokens: output } : {}),
    ...(input.length > 0 ? { input } : {}),
    ...(answers.length > 0 ? { output: answers } : {}),
  };
}

/** A model's name in small letters, without the maker's prefix. */
export function bareName(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1).toLowerCase();
}

/** What is known of a model by its name, with or without a maker's prefix. */
export function factsOf(model: string): ModelFacts {
  return factsByModel.get(model) ?? factsByBareName.get(bareName(model)) ?? NO_FACTS;
}

/** Every model of the list. */
export function modelsWithFacts(): string[] {
  return [...factsByModel.keys()];
}
