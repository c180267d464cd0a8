import { expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { startFakeDashscope } from "@/lib/testing/fake-dashscope";
import { formatSetUp, testFormat } from "../format-cases";
import { setUpRelay } from "../harness";

const relay = setUpRelay(formatSetUp("qwen-audio"));
const { fake, caller, modelOf } = testFormat(relay, {
  start: startFakeDashscope,
  type: CHANNEL_TYPE.dashscope,
  prefix: "qwen-audio",
  key: "good-key",
  badKey: "bad-key",
  calls: 2,
});

test("pictures and sound reach models that take them", async () => {
  const { openai } = await caller();
  const content = [
    { type: "text" as const, text: "What is this?" },
    { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0K" } },
    { type: "input_audio" as const, input_audio: { data: "UklGRg==", format: "wav" as const } },
  ];
  await openai.chat.completions.create({ model: modelOf("text"), messages: [{ role: "user", content }] });
  expect(fake.seen.at(-1)?.body).toMatchObject({
    input: {
      messages: [
        {
          content: [
            { text: "What is this?" },
            { image: "data:image/png;base64,iVBORw0K" },
            { audio: "data:audio/wav;base64,UklGRg==" },
          ],
        },
      ],
    },
  });
});
