import { afterAll, beforeAll, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { baiduAuth } from "@/lib/relay/providers/auth/baidu";
import { TokenCache } from "@/lib/relay/providers/auth/token-cache";
import type { UpstreamRow } from "@/lib/relay/providers/channel-type";
import { rows } from "@/lib/relay/providers/rows";
import { startFakeErnie } from "@/lib/testing/fake-ernie";
import { formatSetUp, testFormat } from "../format-cases";
import { setUpRelay } from "../harness";

let clock = 0;
const usual = rows.get(CHANNEL_TYPE.ernie);

function setRow(row: UpstreamRow | undefined): void {
  if (row) (rows as Map<number, UpstreamRow>).set(CHANNEL_TYPE.ernie, row);
}

// Baidu's row, with a clock of its own for the tokens.
beforeAll(() => setRow(usual && { ...usual, auth: baiduAuth(new TokenCache({ now: () => clock })) }));
afterAll(() => setRow(usual));

const relay = setUpRelay(formatSetUp("ERNIE"));
const { fake, caller, modelOf } = testFormat(relay, {
  start: startFakeErnie,
  type: CHANNEL_TYPE.ernie,
  prefix: "ERNIE",
  key: "good-id|good-secret",
  badKey: "good-id|bad-secret",
  calls: 1,
});

const messages = [{ role: "user" as const, content: "hi" }];

test("a token that was withdrawn is replaced, though the refusal comes with status 200", async () => {
  const { openai } = await caller();
  await openai.chat.completions.create({ model: modelOf("text"), messages });
  clock += 60_000;
  fake.withdraw();
  const { choices } = await openai.chat.completions.create({ model: modelOf("text"), messages });
  expect(choices[0]?.finish_reason).toBe("stop");
  const tokens = fake.seen.slice(-2).map(({ url }) => url.searchParams.get("access_token"));
  expect(new Set(tokens).size).toBe(2);
});

test("pictures are refused with the reason, before anything is sent", async () => {
  const { openai } = await caller();
  const before = fake.seen.length;
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0K" } };
  const asked = { model: modelOf("text"), messages: [{ role: "user" as const, content: [image] }] };
  await expect(openai.chat.completions.create(asked)).rejects.toThrow(/400.*only text/);
  expect(fake.seen.length).toBe(before);
});
