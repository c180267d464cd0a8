import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { NOTHING_USED, orNothing, reportsNothing } from "../../../canonical/nothing-used";
import { readOpenaiUsage } from "./openai-usage";
import { USAGE_FORMS, USAGE_HOLDERS, type UsageCount, type UsageForm, type UsageHolder } from "./openai-usage-forms";

/** Written anew with WRITE_DOCS=1. */
const page = new URL("../../../../../../docs/usage-forms.md", import.meta.url);

/** Every place where a form may stand: in the object itself, or in each of the objects within it. */
const places = USAGE_FORMS.flatMap((form) =>
  form.holders.flatMap((holder) => {
    const objects: readonly string[] = USAGE_HOLDERS[holder];
    return (objects.length === 0 ? [null] : objects).map((object) => ({ form, object }));
  }),
);

function usageWith({ name }: UsageForm, object: string | null, tokens: number, whole: object) {
  return { ...whole, ...(object === null ? { [name]: tokens } : { [object]: { [name]: tokens } }) };
}

/** The canonical count that a form ends up in. */
const FIELDS: Readonly<Record<UsageCount, string>> = {
  prompt: "promptTokens",
  completion: "completionTokens",
  total: "completionTokens",
  cached: "cachedTokens",
  written: "cacheWriteTokens",
  thoughts: "reasoningTokens",
  soundIn: "audioPromptTokens",
  soundOut: "audioCompletionTokens",
  cited: "promptTokens",
  searches: "webSearches",
};

describe("every form is read wherever it stands", () => {
  test.each(places.map(({ form, object }) => [form.count, object ?? "usage", form.name, form, object] as const))(
    "%s: %s.%s",
    (count, _holder, _name, form, object) => {
      const names = [
        { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
        { input_tokens: 100, output_tokens: 50, total_tokens: 150 },
        { prompt_tokens: 100, completion_tokens: 50 },
      ];
      for (const whole of names) {
        const isWhole = form.place === "whole";
        const read = readOpenaiUsage(usageWith(form, object, isWhole ? 200 : 30, whole));
        const due = count === "total" ? 100 : count === "cited" ? 130 : isWhole ? 200 : 30;
        expect(read).toMatchObject({ [FIELDS[count]]: due });
        if (form.place === "within") expect(read).toMatchObject({ promptTokens: 100, completionTokens: 50 });
      }
    },
  );
});

test("a part that is more than its whole, or that the total has, stands beside it", () => {
  const whole = { prompt_tokens: 12, completion_tokens: 5 };
  const beside = { promptTokens: 8_012, completionTokens: 5, cachedTokens: 8_000 };
  expect(readOpenaiUsage({ ...whole, total_tokens: 17, cached_tokens: 8_000 })).toMatchObject(beside);
  expect(readOpenaiUsage({ ...whole, cache_read_input_tokens: 8_000 })).toMatchObject(beside);
  // Anthropic's own object.
  const own = { input_tokens: 2_048, output_tokens: 503, cache_read_input_tokens: 1_800 };
  expect(readOpenaiUsage({ ...own, cache_creation_input_tokens: 248 })).toMatchObject({
    promptTokens: 4_096,
    cachedTokens: 1_800,
    cacheWriteTokens: 248,
  });
  const told = { prompt_tokens: 3_000, completion_tokens: 5, total_tokens: 5_505 };
  expect(readOpenaiUsage({ ...told, prompt_tokens_details: { cached_tokens: 2_500 } })).toMatchObject({
    promptTokens: 5_500,
    completionTokens: 5,
    cachedTokens: 2_500,
  });
});

test("sound that Mistral counts beside the text is in the prompt", () => {
  const heard = { prompt_audio_seconds: 12, prompt_tokens: 3, total_tokens: 419, completion_tokens: 41 };
  const details = { cached_tokens: 0, audio_tokens: 375 };
  expect(readOpenaiUsage({ ...heard, prompt_tokens_details: details })).toMatchObject({
    promptTokens: 378,
    completionTokens: 41,
    audioPromptTokens: 375,
  });
  const cached = { prompt_audio_seconds: 5, prompt_tokens: 5, total_tokens: 404, completion_tokens: 24 };
  expect(readOpenaiUsage({ ...cached, prompt_tokens_details: { cached_tokens: 368 } })).toMatchObject({
    promptTokens: 380,
    completionTokens: 24,
    cachedTokens: 368,
    audioPromptTokens: 12,
  });
});

test("citations that Perplexity reads for nothing are not charged", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, citation_tokens: 3_000 };
  expect(readOpenaiUsage({ ...usage, cost: { total_cost: 0.1 } })).toMatchObject({ promptTokens: 10 });
  expect(readOpenaiUsage({ ...usage, cost: { citation_tokens_cost: 0.006 } })).toMatchObject({ promptTokens: 3_010 });
});

test("an object whose counts are all 0 says that nothing was used, in every format; without counts it says nothing", () => {
  const zeros = [
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
    { input_tokens: 0, output_tokens: 0 },
    { totalTokenCount: 0, promptTokensDetails: [{ modality: "TEXT", tokenCount: 0 }] },
    { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    { billed_units: { input_tokens: 0, output_tokens: 0 } },
    { PromptTokens: 0, CompletionTokens: 0 },
    { total_duration: 5_000_000, prompt_eval_count: 0, eval_count: 0 },
    { queue_time: 0.04, prompt_tokens: 0, completion_tokens: 0 },
  ];
  for (const usage of zeros) expect([usage, orNothing(readOpenaiUsage)(usage)]).toEqual([usage, NOTHING_USED]);
  const others = [null, undefined, 0, "0", [], {}, { cost: 0 }, { prompt_tokens: null }, { prompt_tokens: "0" }];
  for (const usage of [...others, { totalTokenCount: 5 }, { tokens: { input: 5 }, eval_count: 1 }]) {
    expect([usage, reportsNothing(usage)]).toEqual([usage, false]);
  }
});

/** The fields of a form as upstreams write them. */
function fieldsOf({ holders, name }: UsageForm): string {
  return holders.map((holder) => `\`${prefixOf(holder)}${name}\``).join(", ");
}

function prefixOf(holder: UsageHolder): string {
  const [object] = USAGE_HOLDERS[holder];
  return object === undefined ? "" : `${object}.`;
}

const PLACES: Readonly<Record<UsageForm["place"], string>> = {
  whole: "the whole",
  within: "within",
  beside: "beside",
  either: "either: the other counts show which",
};

function tables(): string {
  const forms = USAGE_FORMS.map((form) => {
    const seen = Object.entries(form.seen).map(([provider, source]) => `[${provider}](${source})`);
    return `| ${form.count} | ${fieldsOf(form)} | ${PLACES[form.place]} | ${seen.join(", ")} |`;
  });
  const byProvider = new Map<string, string[]>();
  for (const form of USAGE_FORMS) {
    for (const provider of Object.keys(form.seen)) {
      byProvider.set(provider, [...(byProvider.get(provider) ?? []), `\`${form.name}\``]);
    }
  }
  const providers = [...byProvider]
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(([provider, names]) => `| ${provider} | ${[...new Set(names)].join(", ")} |`);
  return [
    ...["## By form", "", "| count | field | tokens are | seen at |", "| --- | --- | --- | --- |", ...forms, ""],
    ...["## By provider", "", "| provider | its fields |", "| --- | --- |", ...providers, ""],
  ].join("\n");
}

test("docs/usage-forms.md has every form and every provider of the table", () => {
  const text = readFileSync(page, "utf8");
  const [before = ""] = text.split("## By form");
  if (process.env.WRITE_DOCS === "1") writeFileSync(page, before + tables());
  const plain = (markdown: string): string =>
    markdown
      .replace(/ *\| */g, "|")
      .replace(/-{3,}/g, "---")
      .trim();
  expect(plain(readFileSync(page, "utf8"))).toBe(plain(before + tables()));
});

test("each form has a source for each provider that is named", () => {
  for (const { seen } of USAGE_FORMS) {
    expect(Object.keys(seen).length).toBeGreaterThan(0);
    for (const source of Object.values(seen)) expect(URL.canParse(source)).toBe(true);
  }
});
