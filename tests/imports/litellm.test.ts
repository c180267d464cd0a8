import postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { unseal } from "@/lib/crypto";
import type { TestDatabase } from "@/lib/testing/database";
import { readConfig } from "@/tools/import/litellm/read-config";
import { runLitellm } from "@/tools/import/litellm/run-litellm";
import type { ImportReport } from "@/tools/import/run-import";
import { openSource } from "@/tools/import/sources/open";
import type { Source } from "@/tools/import/types";
import { dropAfterAll, emptyDatabase, expectBooksInOrder, freshWeir, left } from "./harness";

const CONFIG = `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o-2024-11-20, api_key: os.environ/OPENAI_KEY, rpm: 60 }
  - model_name: gpt-4o-mini
    litellm_params: { model: gpt-4o-mini, api_key: os.environ/OPENAI_KEY }
  - model_name: gpt-4o
    litellm_params: { model: azure/my-deployment, api_base: "https://x.openai.azure.com", api_version: "2024-10-21", api_key: az-secret }
  - model_name: claude
    litellm_params: { model: anthropic/claude-3-5-haiku-latest, litellm_credential_name: shared }
  - model_name: fast
    litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: gsk-secret, order: 2, input_cost_per_token: 0.000001, output_cost_per_token: 0.000004 }
    model_info: { cache_read_input_token_cost: 0.0000005, access_groups: [team-models] }
  - model_name: local
    litellm_params: { model: openai/qwen, api_base: "http://10.0.0.7:8000/v1", api_key: none }
    model_info: { access_groups: [team-models] }
  - model_name: nova
    litellm_params: { model: bedrock/us.amazon.nova, aws_access_key_id: AK, aws_secret_access_key: SK, aws_region_name: us-east-1 }
  - model_name: "*"
    litellm_params: { model: "openai/*", api_key: x }
  - model_name: absent
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/NOT_SET }
  - model_name: strange
    litellm_params: { model: sagemaker/x, api_key: x }
credential_list:
  - credential_name: shared
    credential_values: { api_key: ant-secret }
router_settings: { num_retries: 2 }
general_settings: { master_key: sk-master-secret }
`;

const TABLES = `
CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, user_alias text, user_email text, user_role text, password text,
  spend double precision NOT NULL DEFAULT 0, max_budget double precision, budget_duration text, models text[], rpm_limit bigint,
  tpm_limit bigint, max_parallel_requests int);
CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, team_alias text, spend double precision NOT NULL DEFAULT 0,
  max_budget double precision, budget_duration text, models text[], rpm_limit bigint, tpm_limit bigint,
  max_parallel_requests int, blocked boolean NOT NULL DEFAULT false);
CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text, spend double precision DEFAULT 0,
  expires timestamp(3), models text[], aliases jsonb DEFAULT '{}', user_id text, team_id text, max_parallel_requests int,
  metadata jsonb DEFAULT '{}', blocked boolean, tpm_limit bigint, rpm_limit bigint, max_budget double precision,
  budget_duration text, allowed_routes text[] DEFAULT '{}', model_max_budget jsonb DEFAULT '{}', budget_id text,
  created_at timestamp(3), last_active timestamp(3));
CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget double precision, budget_duration text,
  rpm_limit bigint, tpm_limit bigint, max_parallel_requests int);
CREATE TABLE "LiteLLM_ProxyModelTable" (model_id text PRIMARY KEY, model_name text NOT NULL, litellm_params jsonb, model_info jsonb);
CREATE TABLE "LiteLLM_CredentialsTable" (credential_id text PRIMARY KEY, credential_name text UNIQUE, credential_values jsonb);
CREATE TABLE "LiteLLM_SpendLogs" (request_id text PRIMARY KEY);
INSERT INTO "LiteLLM_UserTable" VALUES
  ('u1', NULL, 'Ada@There.example', 'proxy_admin', 'x', 1.5, 10, NULL, '{}', 30, NULL, 4),
  ('u2', 'Bob', NULL, 'internal_user', NULL, 0, 5, '30d', '{gpt-4o}', NULL, 100000, NULL),
  ('u3', NULL, NULL, 'internal_user', NULL, 0, NULL, NULL, '{}', NULL, NULL, NULL),
  ('u4', 'BOB', NULL, 'internal_user', NULL, 0, 5, '3mo', '{}', NULL, NULL, NULL);
INSERT INTO "LiteLLM_TeamTable" VALUES ('t1', 'Research', 2, 1, NULL, '{}', NULL, NULL, NULL, true);
INSERT INTO "LiteLLM_BudgetTable" VALUES ('b1', 20, '1d', 12, NULL, NULL);
INSERT INTO "LiteLLM_VerificationToken"
  (token, key_name, key_alias, user_id, team_id, spend, max_budget, budget_duration, models, budget_id, blocked, expires, allowed_routes, aliases) VALUES
  (encode(sha256('sk-of-Bob_1'), 'hex'), 'sk-...ob_1', 'ci', 'u2', NULL, 0.5, 2, NULL, '{fast,team-models}', NULL, NULL, '2100-01-01', '{llm_api_routes}', '{"a":"b"}'),
  (encode(sha256('sk-of-team'), 'hex'), 'sk-...team', NULL, 'u2', 't1', 1, NULL, NULL, '{}', 'b1', true, NULL, '{/v1/embeddings}', '{}'),
  (encode(sha256('sk-nobody'), 'hex'), NULL, 'nobody', NULL, NULL, 0, 10, '90d', '{"openai/*"}', NULL, NULL, NULL, '{}', '{}'),
  (encode(sha256('sk-lost'), 'hex'), NULL, 'lost', 'u4', NULL, 0, NULL, NULL, '{}', NULL, NULL, NULL, '{}', '{}'),
  (encode(sha256('sk-admin'), 'hex'), NULL, 'admin', 'u1', NULL, 0, NULL, NULL, '{}', NULL, NULL, NULL, '{management_routes}', '{}'),
  (encode(sha256('sk-ui'), 'hex'), NULL, NULL, 'u1', 'litellm-dashboard', 0, NULL, NULL, '{}', NULL, NULL, NULL, '{}', '{}'),
  ('0123abcd', 'sk-...Xy12', 'broken', 'u1', NULL, 0, NULL, NULL, '{}', NULL, NULL, NULL, '{}', '{}');
INSERT INTO "LiteLLM_ProxyModelTable" VALUES
  ('m1', 'from-the-console', '{"model":"gAAAA"}', NULL),
  ('m2', 'of-the-console', '{"model":"E7IoACyCP-oSDToHFjH8Q4uAJtp3Ea1k43jTMeFACjUjTDWn_4LXIqYLvqwUDauoLVdOjGve",
    "api_key":"v3:gcm:dzjg5MHkuP7vDNt9Y0fdxYL4cJcAFtGI0JMJ---hCAJKLwkmpH7BgiSLJ30s","rpm":70,"use_in_pass_through":false,
    "input_cost_per_token":0.000002,"output_cost_per_token":0.000008}', '{"id":"m2","db_model":true}'),
  ('m3', 'of-a-credential', '{"model":"v3:gcm:RQEniaR3XpGNd0osBLZW2T9sapciAoJF4176oRkv9YcQFB4kvAsqHL01r4syym2WNPEEZX7bywYNPxTw-A==",
    "litellm_credential_name":"v3:gcm:QrxDVNqhw-gtlu3L16J8uqaTjgODmWnQamWw2E8HFSXe5RBWgYiyOw=="}', NULL);
INSERT INTO "LiteLLM_CredentialsTable" VALUES
  ('c1', 'console-cred', '{"api_key":"10gcvsvii9eAXLrBkJOnuZsXzoZP87nTpVVfTPC0j7RFUWg1L7ajdbdO3XL7Pdlqf8XxTxg1K0NpVg=="}');
INSERT INTO "LiteLLM_SpendLogs" VALUES ('r1'), ('r2');
`;

let weir: TestDatabase;
let address: string;
let report: ImportReport;
dropAfterAll();

async function move(dryRun = false): Promise<ImportReport> {
  const database = await openSource(address);
  const source = {
    config: readConfig(CONFIG),
    database,
    environment: { OPENAI_KEY: "sk-openai-secret", LITELLM_SALT_KEY: "sk-salt-of-there" },
  };
  try {
    return await runLitellm({ db: weir.db, sql: weir.sql, actor: { type: "command-line" }, clientIp: "" }, source, {
      dryRun,
      onCollision: "skip",
      balance: 3,
    });
  } finally {
    await database.close();
  }
}

beforeAll(async () => {
  weir = await freshWeir();
  address = await emptyDatabase();
  const sql = postgres(address, { max: 1, onnotice: () => {} });
  await sql.unsafe(TABLES);
  await sql.end();
});

test("a dry run writes nothing and says what the import then does", async () => {
  const dry = await move(true);
  expect(await weir.sql`select from channels`).toHaveLength(0);
  report = await move();
  expect(dry.kinds).toEqual(report.kinds);
});

test("models become channels: one for each provider, address and key, with what a name stands for", async () => {
  const rows =
    await weir.sql`select type, base_url, models, model_mapping, other, key_cipher, requests_per_minute, priority from channels order by id`;
  expect(rows.map(({ key_cipher, ...row }) => ({ ...row, key: unseal(key_cipher) }))).toMatchObject([
    {
      type: 1,
      models: "gpt-4o,gpt-4o-mini",
      model_mapping: '{"gpt-4o":"gpt-4o-2024-11-20"}',
      key: "sk-openai-secret",
      requests_per_minute: 60,
    },
    {
      type: 3,
      base_url: "https://x.openai.azure.com",
      other: "2024-10-21",
      models: "gpt-4o",
      model_mapping: '{"gpt-4o":"my-deployment"}',
    },
    { type: 14, models: "claude", key: "ant-secret" },
    { type: 1, base_url: "https://api.groq.com/openai", models: "fast", priority: -2 },
    { type: 1, base_url: "http://10.0.0.7:8000", models: "local", key: "none" },
    { type: 33, key: "AK|SK|us-east-1" },
    { type: 1, models: "of-the-console", key: "sk-of-the-console", requests_per_minute: 70 },
    { type: 14, models: "of-a-credential", key: "ant-of-the-console" },
  ]);
  expect(left(report, "channels")).toEqual({
    "a wildcard: name the models in a channel of your own": 1,
    "the variable NOT_SET is not set: set it for this command, and run it again": 1,
    "the provider sagemaker is unknown here": 1,
    "added in LiteLLM's console, and cannot be decrypted: set LITELLM_SALT_KEY as LiteLLM has it": 1,
  });
});

test("users and teams become accounts with what is left of their budget, or the balance that was asked for; the books add up", async () => {
  const rows =
    await weir.sql`select username, email, role, status, quota, used_quota, budget_month, requests_per_minute, tokens_per_minute,
    concurrency_limit from users where username <> 'root' order by id`;
  expect(rows).toMatchObject([
    {
      username: "ada@there.example",
      email: "ada@there.example",
      role: 10,
      quota: 4_250_000,
      used_quota: 750_000,
      requests_per_minute: 30,
      concurrency_limit: 4,
    },
    { username: "Bob", quota: 1_500_000, budget_month: 2_500_000, tokens_per_minute: 100_000 },
    { username: "u3", quota: 1_500_000, budget_month: 0 },
    { username: "Research", status: 2, quota: -500_000, used_quota: 1_000_000 },
    { username: "litellm", quota: 1_500_000, used_quota: 0 },
  ]);
  expect(left(report, "users")).toEqual({ "the user name is taken here (capital letters make no difference)": 1 });
  expect(report.extras).toEqual({
    tables: { LiteLLM_SpendLogs: 2 },
    missing: [],
    columns: { "config.yaml, router_settings": ["num_retries"], "config.yaml, general_settings": ["master_key"] },
  });
  for (const secret of ["sk-openai-secret", "ant-secret", "sk-master-secret", "SK"])
    expect(JSON.stringify(report)).not.toContain(`"${secret}`);
  await expectBooksInOrder(weir);
});

test("keys keep their limits, models, end and state; what they had that is not here is said", async () => {
  const rows = await weir.sql`
    select t.name, u.username, t.key_hint, t.status, t.remain_quota, t.used_quota, t.unlimited_quota, t.model_limits_enabled,
      t.model_limits, t.operation_limits, t.expired_time, t.budget_day, t.rate_limit_count
    from tokens t join users u on u.id = t.user_id order by t.name`;
  expect(rows).toMatchObject([
    {
      name: "ci",
      username: "Bob",
      key_hint: "…ob_1",
      status: 1,
      remain_quota: 750_000,
      used_quota: 250_000,
      unlimited_quota: false,
      model_limits: "fast,local",
      operation_limits: "",
      expired_time: 4_102_444_800,
    },
    {
      name: "litellm …team",
      username: "Research",
      status: 2,
      unlimited_quota: true,
      model_limits_enabled: false,
      operation_limits: "embeddings",
      budget_day: 10_000_000,
      rate_limit_count: 12,
      expired_time: -1,
    },
    { name: "nobody", username: "litellm", status: 2, remain_quota: 5_000_000, model_limits_enabled: true },
  ]);
  expect(left(report, "tokens")).toEqual({
    "its user was not imported": 1,
    "only for LiteLLM's management API, or for requests that do not exist here": 1,
    "a sign-in to LiteLLM's console": 1,
    "neither a key nor the SHA-256 of one": 1,
  });
  expect(Object.keys(report.kinds.tokens?.changed ?? {}).sort()).toEqual([
    "a budget per 90d does not exist here (day, week, month): what is left of it is a limit in all",
    "keys of no user and no team: under an account litellm",
    "names of its own for models: not carried over",
    "none of its models can be named here: the key is disabled",
    "wildcards of models do not exist here: left out",
  ]);
});

test("prices of config.yaml are the prices here; names without one are said", async () => {
  const options = new Map(
    (await weir.sql`select key, value from options where key like '%Ratio'`).map(({ key, value }) => [
      key,
      JSON.parse(value),
    ]),
  );
  expect(options.get("ModelRatio").fast).toBe(0.5);
  expect(options.get("CompletionRatio").fast).toBe(4);
  expect(options.get("CacheRatio").fast).toBe(0.5);
  expect(options.get("ModelRatio")["of-the-console"]).toBe(1);
  expect(report.kinds.options).toMatchObject({ read: 2, moved: 2 });
  expect(Object.keys(report.kinds.options?.changed ?? {})).toContain(
    "no price is known for this name: set one, or its requests are refused",
  );
});

test("run again, it brings nothing twice", async () => {
  await move();
  expect(await weir.sql`select from channels`).toHaveLength(8);
  expect(await weir.sql`select from users`).toHaveLength(6);
  expect(await weir.sql`select from tokens`).toHaveLength(3);
  await expectBooksInOrder(weir);
});

test("cut off in the middle, nothing of it is there, and the next run brings all", async () => {
  const other = await freshWeir();
  const database = await openSource(address);
  const source = { config: readConfig(CONFIG), database, environment: { OPENAI_KEY: "sk-openai-secret" } };
  const run = (from: typeof source) =>
    runLitellm({ db: other.db, sql: other.sql, actor: { type: "command-line" }, clientIp: "" }, from, {
      dryRun: false,
      onCollision: "skip",
      balance: 3,
    });
  const lost: Source = {
    ...database,
    page: (table, ...rest) =>
      table === "LiteLLM_VerificationToken" ? Promise.reject(new Error("lost")) : database.page(table, ...rest),
  };
  try {
    await expect(run({ ...source, database: lost })).rejects.toThrow("lost");
    expect(await other.sql`select from users where username <> 'root'`).toHaveLength(0);
    expect(await other.sql`select from import_sources`).toHaveLength(0);
    await run(source);
  } finally {
    await database.close();
  }
  expect(await other.sql`select from tokens`).toHaveLength(3);
  await expectBooksInOrder(other);
});

test("a file that is no config.yaml is refused with the place", () => {
  expect(() => readConfig("model_list:\n  - litellm_params: {}")).toThrow("model_list.0.model_name");
});
