import postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { unseal } from "@/lib/crypto";
import { readConfig } from "@/lib/import/litellm/read-config";
import { runLitellm } from "@/lib/import/litellm/run-litellm";
import type { ImportReport } from "@/lib/import/run-import";
import { openSource } from "@/lib/import/sources/open";
import type { TestDatabase } from "@/lib/testing/database";
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
    litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: gsk-secret, input_cost_per_token: 0.1 }
  - model_name: local
    litellm_params: { model: openai/qwen, api_base: "http://10.0.0.7:8000/v1", api_key: none }
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
CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text, spend double precision DEFAULT 0);
CREATE TABLE "LiteLLM_ProxyModelTable" (model_id text PRIMARY KEY, model_name text NOT NULL, litellm_params jsonb);
CREATE TABLE "LiteLLM_SpendLogs" (request_id text PRIMARY KEY);
INSERT INTO "LiteLLM_UserTable" VALUES
  ('u1', NULL, 'Ada@There.example', 'proxy_admin', 'x', 1.5, 10, NULL, '{}', 30, NULL, 4),
  ('u2', 'Bob', NULL, 'internal_user', NULL, 0, 5, '30d', '{gpt-4o}', NULL, 100000, NULL),
  ('u3', NULL, NULL, 'internal_user', NULL, 0, NULL, NULL, '{}', NULL, NULL, NULL),
  ('u4', 'BOB', NULL, 'internal_user', NULL, 0, 5, '3mo', '{}', NULL, NULL, NULL);
INSERT INTO "LiteLLM_TeamTable" VALUES ('t1', 'Research', 2, 1, NULL, '{}', NULL, NULL, NULL, true);
INSERT INTO "LiteLLM_VerificationToken" VALUES ('0123abcd', 'sk-...Xy12', 'ci');
INSERT INTO "LiteLLM_ProxyModelTable" VALUES ('m1', 'from-the-console', '{"model":"gAAAA"}');
INSERT INTO "LiteLLM_SpendLogs" VALUES ('r1'), ('r2');
`;

let weir: TestDatabase;
let address: string;
let report: ImportReport;
dropAfterAll();

async function move(dryRun = false): Promise<ImportReport> {
  const database = await openSource(address);
  const source = { config: readConfig(CONFIG), database, environment: { OPENAI_KEY: "sk-openai-secret" } };
  try {
    return await runLitellm(
      { db: weir.db, sql: weir.sql, actor: { type: "command-line" }, clientIp: "" },
      source,
      dryRun,
    );
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
    await weir.sql`select type, base_url, models, model_mapping, other, key_cipher, requests_per_minute from channels order by id`;
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
    { type: 1, base_url: "https://api.groq.com/openai", models: "fast" },
    { type: 1, base_url: "http://10.0.0.7:8000", models: "local", key: "none" },
    { type: 33, key: "AK|SK|us-east-1" },
  ]);
  expect(left(report, "channels")).toEqual({
    "a wildcard: name the models in a channel of your own": 1,
    "the variable NOT_SET is not set: set it for this command, and run it again": 1,
    "the provider sagemaker is unknown here": 1,
    "added in LiteLLM's console: its parameters are encrypted in the database; add it to config.yaml": 1,
  });
});

test("users and teams become accounts with what is left of their budget; keys cannot move; the books add up", async () => {
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
    { username: "Bob", quota: 0, budget_month: 2_500_000, tokens_per_minute: 100_000 },
    { username: "u3", quota: 0, budget_month: 0 },
    { username: "Research", status: 2, quota: -500_000, used_quota: 1_000_000 },
  ]);
  expect(left(report, "tokens")).toEqual({
    "only a hash of the key is there, made of another form of key: make a new key here": 1,
  });
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

test("run again, it brings nothing twice", async () => {
  await move();
  expect(await weir.sql`select from channels`).toHaveLength(6);
  expect(await weir.sql`select from users`).toHaveLength(5);
  await expectBooksInOrder(weir);
});

test("a file that is no config.yaml is refused with the place", () => {
  expect(() => readConfig("model_list:\n  - litellm_params: {}")).toThrow("model_list.0.model_name");
});
