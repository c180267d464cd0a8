import { z } from "zod";
import { circuitSchema, closeCircuit } from "@/lib/channel/circuit-commands";
import { copyChannel } from "@/lib/channel/copy-commands";
import { addChannelKeys, removeChannelKey, setChannelKeyStatus } from "@/lib/channel/key-commands";
import { listChannelKeys } from "@/lib/channel/key-queries";
import { cancelTestRun, readTestProgress } from "@/lib/channel/test-progress";
import { toWireKey, toWireProgress } from "@/lib/channel/wire";
import { idField } from "@/lib/http/id";
import { switchStatus } from "@/lib/http/named-number";
import { route } from "@/lib/http/route";

const COPY_SUFFIX = "_复制";
const keyAnd = z.object({ key_id: idField });

/** Not in the contract: copying a channel with its keys, multi-key channels, open circuits, progress of a test of all channels. */
export const ownRoutes = [
  route({
    method: "POST",
    path: "/copy/:id",
    access: "admin",
    body: z.object({ suffix: z.string().max(32).nullish() }),
    handler: async ({ ctx, id, body }) => ({ id: await copyChannel(ctx, id, body.suffix ?? COPY_SUFFIX) }),
  }),
  route({
    method: "GET",
    path: "/keys/:id",
    access: "admin",
    handler: async ({ ctx, id }) => (await listChannelKeys(ctx, id)).map(toWireKey),
  }),
  route({
    method: "POST",
    path: "/keys/:id",
    access: "admin",
    body: z.object({ keys: z.string("channelKeyMissing") }),
    handler: ({ ctx, id, body }) => addChannelKeys(ctx, id, body.keys),
  }),
  route({
    method: "PUT",
    path: "/keys/:id",
    access: "admin",
    body: keyAnd.extend({ status: switchStatus("channelStatusInvalid") }),
    handler: ({ ctx, id, body }) => setChannelKeyStatus(ctx, id, body.key_id, body.status),
  }),
  route({
    method: "DELETE",
    path: "/keys/:id",
    access: "admin",
    body: keyAnd,
    handler: ({ ctx, id, body }) => removeChannelKey(ctx, id, body.key_id),
  }),
  route({
    method: "DELETE",
    path: "/circuits/:id",
    access: "admin",
    body: circuitSchema.pick({ model: true }),
    handler: ({ ctx, id, body }) => closeCircuit(ctx, { id, model: body.model }),
  }),
  route({
    method: "GET",
    path: "/test_run",
    access: "admin",
    handler: async ({ ctx }) => toWireProgress(readTestProgress(ctx)),
  }),
  route({
    method: "DELETE",
    path: "/test_run",
    access: "admin",
    handler: async ({ ctx }) => cancelTestRun(ctx),
  }),
];
