import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Task } from "../../../answers/task";
import { openFile } from "./open-file";

const server = createServer((_, response) => {
  // Its body does not end.
  response.writeHead(302, { location: "ftp://nowhere.example/file" }).write("x");
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const channel = {
  type: CHANNEL_TYPE.openai,
  key: "sk-1",
  keys: null,
  baseUrl,
  other: "",
  openaiOrganization: "",
  modelMapping: new Map(),
  setting: { proxy: "" },
  trust: "operator",
} as unknown as SnapshotChannel;

test("a file that is redirected to no address is refused, and its connection is closed", async () => {
  const closed = new Promise((done) => server.once("connection", (socket) => socket.once("close", done)));
  const opening = openFile(
    { at: "account", ask: { method: "GET", path: "/v1/videos/video_1/content" } },
    {
      task: { keyHash: "", platform: "none" } as unknown as Task,
      channel,
      options: defaultOptions(),
      headers: [],
      signal: AbortSignal.timeout(60_000),
    },
  );
  await expect(opening).rejects.toThrow("redirected to no address");
  await closed;
});
