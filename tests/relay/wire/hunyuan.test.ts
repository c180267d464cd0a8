import { expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { startFakeHunyuan } from "@/lib/testing/fake-hunyuan";
import { formatSetUp, testFormat } from "../format-cases";
import { setUpRelay } from "../harness";

const relay = setUpRelay(formatSetUp("hunyuan"));
const { fake, caller, modelOf } = testFormat(relay, {
  start: startFakeHunyuan,
  type: CHANNEL_TYPE.hunyuan,
  prefix: "hunyuan",
  key: "1|good-id|good-secret",
  badKey: "1|good-id|bad-secret",
  calls: 2,
});

test("pictures reach models that take them", async () => {
  const { openai } = await caller();
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0K" } };
  const content = [{ type: "text" as const, text: "What is this?" }, image];
  await openai.chat.completions.create({ model: modelOf("text"), messages: [{ role: "user", content }] });
  expect(fake.seen.at(-1)?.body).toMatchObject({
    Messages: [{ Contents: [{ Type: "text" }, { ImageUrl: { Url: "data:image/png;base64,iVBORw0K" } }] }],
  });
});
