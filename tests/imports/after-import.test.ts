// One bad entry of another system costs nothing but itself, and what is to be looked at after an import is on one page.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadOptions } from "@/lib/option/queries";
import { optionKeys, parseOption } from "@/lib/option/registry";
import type { TestDatabase } from "@/lib/testing/database";
import { describeReport, needsLook } from "@/tools/import/describe-report";
import { keepEntries } from "@/tools/import/kept-entries";
import { runLitellm } from "@/tools/import/litellm/run-litellm";
import type { ImportReport } from "@/tools/import/run-import";
import { dropAfterAll, freshWeir, importInto, left } from "./harness";
import { keyOf } from "./new-api-rows";
import { oneApi } from "./one-api-rows";
import { type Content, fillSqlite } from "./source-database";

const folder = mkdtempSync(join(tmpdir(), "weir-import-"));
dropAfterAll();
afterAll(() => rmSync(folder, { recursive: true }));

const importOneApi = async (name: string, content: Content, weir: TestDatabase, more = {}): Promise<ImportReport> => {
  const file = join(folder, `${name}.db`);
  fillSqlite(file, "one-api", content);
  return importInto(weir, `sqlite:${file}`, { system: "one-api", ...more });
};

/** As one-api writes it: hundreds of models, free ones, and one with a negative ratio. */
const ratios = {
  ...Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`model-${index}`, index / 4])),
  "openrouter/auto": -500_000,
  "gpt-4o": 1.25,
  "glm-4-flash": 0,
};
const withOptions = (options: Record<string, unknown>): Content => ({
  ...oneApi,
  options: [
    { key: "QuotaPerUnit", value: "500000" },
    ...Object.entries(options).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  ],
});

describe("a price map of 900 entries of which one is negative", () => {
  let weir: TestDatabase;
  let report: ImportReport;
  beforeAll(async () => {
    weir = await freshWeir();
    const mapping = '{"gpt-4o-mini":"gpt-4o","broken":7}';
    const channel = { id: 9, type: 1, key: "sk-9", name: "maps", status: 1, priority: 1 };
    report = await importOneApi(
      "ratios",
      {
        ...withOptions({ ModelRatio: ratios, GroupRatio: { default: 1, vip: -2, team: 0.5 } }),
        channels: [
          ...(oneApi.channels ?? []),
          { ...channel, models: "gpt-4o-mini,own-model,glm-4-flash,gpt-5", model_mapping: mapping },
        ],
      },
      weir,
    );
  });

  test("keeps the other entries, free ones as free ones, and names the bad one", async () => {
    const { ModelRatio, GroupRatio } = await loadOptions(weir.db);
    const { "openrouter/auto": _bad, ...good } = ratios;
    expect(ModelRatio).toEqual(good);
    expect(ModelRatio["glm-4-flash"]).toBe(0);
    expect(GroupRatio).toEqual({ default: 1, team: 0.5 });
    expect(left(report, "options")).toEqual({
      "ModelRatio: the entry openrouter/auto is not valid here, the others are": 1,
      "GroupRatio: the entry vip is not valid here, the others are": 1,
    });
    expect(describeReport(report)).toContain("-500000");
  });

  test("a channel's map, too: the channel stays on", async () => {
    const [row] = await weir.sql`select status, model_mapping from channels where name = 'maps'`;
    expect(row).toEqual({ status: 1, model_mapping: '{"gpt-4o-mini":"gpt-4o"}' });
    const changed = Object.keys(report.kinds.channels?.changed ?? {});
    expect(changed).toContain("modelMapping: the entry broken is not valid, the others are: 7");
  });

  test("the page lists models that one-api charged at 30, without a price here and with another, and how to take it over", () => {
    const look = report.lookAt ?? [];
    const [unpriced] = look.filter(({ what }) => what.startsWith("models in channels without a price"));
    expect(unpriced).toMatchObject({ count: 2, examples: ["claude-3-5-haiku-latest", "own-model"] });
    expect(unpriced?.mend).toContain("--default-ratio");
    const [other] = look.filter(({ what }) =>
      what.startsWith("models that one-api charged at its default ratio of 30"),
    );
    // What a mapping leads to has a ratio there, so that gpt-4o-mini was charged at that.
    expect(other?.examples).toContain("gpt-5");
    expect(other?.examples).not.toContain("gpt-4o-mini");
    expect(needsLook(report)).toBe(true);
  });

  test("the flag gives them the ratio that they had, and no model another", async () => {
    const again = await freshWeir();
    const content = withOptions({ ModelRatio: { "gpt-4o": 1.25 } });
    const channels = [
      { id: 1, type: 1, key: "sk-1", name: "one", models: "gpt-4o,own-model,gpt-5", status: 1, priority: 1 },
    ];
    const done = await importOneApi("flag", { ...content, channels }, again, { takesDefaultRatio: true });
    const { ModelRatio } = await loadOptions(again.db);
    expect(ModelRatio).toEqual({ "gpt-4o": 1.25, "own-model": 30, "gpt-5": 30 });
    expect(done.lookAt?.filter(({ what }) => what.startsWith("models"))).toEqual([]);
  });
});

test("of every option that is a map, the entries that are valid stay", () => {
  const pairs = [
    [1, -500_000],
    ["a name", 5],
    [{ picture: 0.01 }, { picture: -1 }],
    [["https://example.com"], 5],
  ];
  const kept = optionKeys().flatMap((key) => {
    const isValid = (text: string): boolean => {
      try {
        parseOption(key, text);
        return true;
      } catch {
        return false;
      }
    };
    return pairs
      .filter(([good, bad]) => isValid(JSON.stringify({ good })) && !isValid(JSON.stringify({ bad })))
      .map(([good, bad]) => ({ key, found: keepEntries(JSON.stringify({ good, bad }), isValid), good }));
  });
  expect(new Set(kept.map(({ key }) => key)).size).toBeGreaterThanOrEqual(7);
  for (const { key, found, good } of kept) {
    expect({ key, kept: JSON.parse(found?.text ?? "null") }).toEqual({ key, kept: { good } });
    expect(found?.leftOut.map(({ name }) => name)).toEqual(["bad"]);
  }
});

test("LiteLLM's prices: a negative one is left out and named, the others are kept", async () => {
  const weir = await freshWeir();
  const deployment = (model: string, cost: number) => ({
    model_name: model,
    litellm_params: {
      model: `openai/${model}`,
      api_key: "sk-1",
      input_cost_per_token: cost,
      output_cost_per_token: 0.00001,
    },
  });
  const report = await runLitellm(
    { db: weir.db, sql: weir.sql, actor: { type: "command-line" }, clientIp: "" },
    {
      config: { model_list: [deployment("good", 0.000_001), deployment("bad", -1)] },
      database: null,
      environment: {},
    },
    { dryRun: false, onCollision: "skip", balance: 0 },
  );
  const { ModelRatio } = await loadOptions(weir.db);
  expect(Object.keys(ModelRatio)).toContain("good");
  expect(JSON.stringify(report.kinds.options?.leftOut)).toContain("bad");
  const text = describeReport(report);
  expect(text).toMatch(/models in channels without a price.*: bad\n {4}-> /);
});

describe("the page after an import", () => {
  const [ada, root] = [oneApi.users?.[1] ?? {}, oneApi.users?.[0] ?? {}];
  const key = (id: number, name: string, more = {}) => ({
    id,
    user_id: 2,
    key: keyOf(id),
    name,
    status: 1,
    expired_time: -1,
    remain_quota: 5,
    unlimited_quota: true,
    ...more,
  });
  const channel = { id: 1, type: 1, key: "sk-1", name: "one", models: "gpt-4o,own-model", status: 1, priority: 1 };

  test("names accounts that were left out and why, and keys that will not answer, each with what mends it", async () => {
    const weir = await freshWeir();
    const users = [
      root,
      ada,
      { ...ada, id: 3, username: "bob", group: "vip", aff_code: "b", oidc_id: "2" },
      { ...ada, id: 4, username: "poor", quota: 0, aff_code: "c", oidc_id: "3" },
      { ...ada, id: 5, username: "Root", aff_code: "d", oidc_id: "4" },
    ];
    const tokens = [
      key(1, "fine"),
      key(2, "no-channel", { user_id: 3 }),
      key(3, "no-model", { models: "claude-9" }),
      key(4, "no-price", { models: "own-model" }),
      key(5, "off", { status: 2 }),
      key(6, "poor", { user_id: 4 }),
      key(7, "orphan", { user_id: 5 }),
    ];
    const content = { ...withOptions({ ModelRatio: { "gpt-4o": 1 } }), users, tokens, channels: [channel] };
    const report = await importOneApi("page", content, weir);
    const look = (report.lookAt ?? []).map(({ what, count, examples, isKnown }) => [
      what,
      count,
      examples[0],
      isKnown === true,
    ]);
    expect(look).toEqual(
      expect.arrayContaining([
        ["keys that will not answer: no channel that is on has their group vip", 1, "bob / no-channel", false],
        [
          "keys that will not answer: no channel of their group default has a model of theirs",
          1,
          "ada / no-model",
          false,
        ],
        [
          "keys that will not answer: none of the models that they reach in group default has a price",
          1,
          "ada / no-price",
          false,
        ],
        [
          "keys of group default that are switched off, have run out or are used up, as they were there",
          1,
          "ada / off",
          true,
        ],
        ["keys of group default whose accounts have no balance, as they had none there", 1, "poor / poor", true],
        ["keys left out: the user was not imported", 1, "#7 of user #5", false],
      ]),
    );
    expect(look.find(([what]) => String(what).startsWith("accounts left out"))).toBeDefined();
    for (const { mend } of report.lookAt ?? []) expect(mend).toMatch(/\/|weir import|account/);
    const text = describeReport(report);
    expect(text).toContain("What to look at:\n");
    expect(text).toContain("--on-collision rename");
    expect(text).not.toContain("ada / fine");
    expect(text).not.toContain(keyOf(2));
    expect(needsLook(report)).toBe(true);
  });

  test("says that there is nothing to look at, where there is nothing", async () => {
    const weir = await freshWeir();
    const content = {
      ...withOptions({ ModelRatio: { "gpt-4o": 1 } }),
      users: [ada],
      tokens: [key(1, "fine")],
      channels: [{ ...channel, models: "gpt-4o" }],
      redemptions: [],
      logs: [],
    };
    const report = await importOneApi("nothing", content, weir);
    expect(report.lookAt).toEqual([]);
    expect(needsLook(report)).toBe(false);
    expect(describeReport(report)).toContain("What to look at: nothing.");
  });

  test("a dry run, which makes no channels and keys, has none", async () => {
    const report = await importOneApi("dry", withOptions({ ModelRatio: ratios }), await freshWeir(), { dryRun: true });
    expect(report.lookAt).toBeNull();
    expect(left(report, "options")).toMatchObject({
      "ModelRatio: the entry openrouter/auto is not valid here, the others are": 1,
    });
  });
});
