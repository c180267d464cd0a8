import { expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { rows } from "../../providers/rows";
import { geminiGenerateContent } from "../../wire/dialects/gemini-generate-content";
import { openaiChat } from "../../wire/dialects/openai-chat";
import type { Call, EncodeTarget } from "../operation";
import { readChat } from "./chat-intake";

const MODEL = "gemini-2.5-pro";

test("however a caller writes a model's path, one address is remembered for it", async () => {
  const body = Buffer.from(JSON.stringify({ contents: [{ parts: [{ text: "hi" }] }] }));
  const row = rows.get(CHANNEL_TYPE.gemini);
  const channel = { type: CHANNEL_TYPE.gemini, baseUrl: "", other: "", setting: {} };
  const target = { channel, row, model: MODEL, cap: null, isUntouched: true } as unknown as EncodeTarget;
  const paths = [`/v1/models/${MODEL}`, `/v1beta/models/%67emini-2.5-pro`, `/v1beta1000000/models/${MODEL}`];
  const encoded = await Promise.all(
    paths.map((path) => {
      const { client } = geminiGenerateContent;
      const call = {
        clientDialect: client,
        path: `${path}:generateContent`,
        query: "",
        headers: {},
        allowedOptions: [],
      };
      return readChat(body, call as unknown as Call).encode(target);
    }),
  );
  expect(new Set(encoded.map(({ path }) => path)).size).toBe(1);
});

test("what a request needs is read from its body once", () => {
  const { client } = openaiChat;
  const body = Buffer.from(
    JSON.stringify({ model: "m", messages: [{ role: "user", content: "how wide is the weir?" }] }),
  );
  const call = { clientDialect: client, path: "/v1/chat/completions", query: "", headers: {}, allowedOptions: [] };
  const intake = readChat(body, call as unknown as Call);
  expect(intake.need).toBe(intake.need);
  expect(intake.withModel("m-of-four").need).not.toBe(intake.need);
});
