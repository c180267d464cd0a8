import { z } from "zod";
import { listOpenCircuits } from "@/lib/channel/circuit-queries";
import {
  createChannels,
  deleteChannel,
  deleteDisabledChannels,
  refreshChannels,
  updateChannel,
} from "@/lib/channel/commands";
import { createFromChannel } from "@/lib/channel/copy-commands";
import { getChannel, listChannels } from "@/lib/channel/queries";
import { type CreateChannelInput, createChannelSchema, updateChannelSchema } from "@/lib/channel/schemas";
import type { Channel } from "@/lib/channel/types";
import { fromWireChannel, toWireChannel, wireChannelSchema } from "@/lib/channel/wire";
import type { ServiceContext } from "@/lib/context";
import { channelRow } from "@/lib/http/openapi/channel-rows";
import { defined, flagParam, groupParam, pageParam, textParam } from "@/lib/http/query";
import { Reply } from "@/lib/http/reply";
import { defineRoutes, route } from "@/lib/http/route";
import { listEnabledModels, listKnownModels, toWireModel } from "@/lib/model/queries";
import { OPERATIONS } from "@/lib/operations";
import { ownRoutes } from "../own-routes";
import { tagRoutes } from "../tag-routes";
import { upstreamRoutes } from "../upstream-routes";

/** Page size of a search without page_size. */
const SEARCH_ROWS = 100;
const paging = { p: pageParam, page_size: pageParam };
const order = { id_sort: flagParam, tag_mode: flagParam };
const sortOf = (idSort: boolean): "id" | "priority" => (idSort ? "id" : "priority");

/** Channels with their open circuits. */
async function toWire(ctx: ServiceContext, channels: readonly Channel[]) {
  const ids = channels.map(({ id }) => id);
  const circuits = await listOpenCircuits(ctx, ids);
  return channels.map((channel) => toWireChannel(channel, circuits.get(channel.id) ?? []));
}

const listing = [
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: z.object({ ...paging, ...order }),
    // Pages count from 0 here (contract §13.2).
    handler: async ({ ctx, query }) => {
      const { items } = await listChannels(ctx, {
        sort: sortOf(query.id_sort),
        tagMode: query.tag_mode,
        ...defined({ page: Math.max(query.p ?? 0, 0) + 1, pageSize: query.page_size }),
      });
      return toWire(ctx, items);
    },
  }),
  route({
    method: "GET",
    path: "/search",
    reads: true,
    access: "admin",
    query: z.object({
      ...paging,
      keyword: textParam,
      group: groupParam,
      model: textParam,
      base_url: textParam,
      ...order,
    }),
    // The contract's search has no pages. Clients may send p and page_size to read on.
    handler: async ({ ctx, query }) => {
      const { items } = await listChannels(ctx, {
        sort: sortOf(query.id_sort),
        tagMode: query.tag_mode,
        page: Math.max(query.p ?? 0, 0) + 1,
        pageSize: query.page_size ?? SEARCH_ROWS,
        keywordIn: "identity",
        groups: query.group === undefined ? [] : [query.group],
        ...defined({ keyword: query.keyword, model: query.model, baseUrl: query.base_url }),
      });
      return toWire(ctx, items);
    },
  }),
  route({
    method: "GET",
    path: "/models",
    access: "admin",
    handler: async ({ ctx }) => (await listKnownModels(ctx)).map(toWireModel),
  }),
  route({ method: "GET", path: "/models_enabled", access: "admin", handler: ({ ctx }) => listEnabledModels(ctx) }),
];

/** They load the relay, so they wait for the first test. */
const channelTests = () => import("@/lib/channel/test-commands");

const testing = [
  route({
    method: "GET",
    path: "/test",
    changes: true,
    access: "admin",
    handler: async ({ ctx }) => {
      const { startChannelTestRun } = await channelTests();
      await startChannelTestRun(ctx);
    },
  }),
  route({
    method: "GET",
    path: "/test/:id",
    changes: true,
    access: "admin",
    query: z.object({ model: textParam, operation: z.enum(OPERATIONS).optional() }),
    handler: async ({ ctx, id, query }) => {
      const { runChannelTest } = await channelTests();
      const { success, message, timeMs } = await runChannelTest(ctx, id, query);
      return new Reply({ success, message, time: timeMs / 1000 });
    },
  }),
];

/** "single" and "batch" are what other consoles send for what is done without a mode. */
const KNOWN_MODES = ["multi_to_single", "single", "batch"];

const rows = [
  route({
    method: "GET",
    path: "/:id",
    access: "admin",
    handler: async ({ ctx, id }) => (await toWire(ctx, [await getChannel(ctx, id)]))[0],
  }),
  route({
    method: "POST",
    path: "/",
    access: "admin",
    body: wireChannelSchema,
    row: channelRow,
    makes: createChannelSchema,
    // The domain schema checks the required fields, so that each has its own message.
    handler: async ({ ctx, body, note }) => {
      const source = body.copy_from ?? body.id;
      const { key, severalKeys: _, ...fields } = fromWireChannel(body);
      if (body.copy_from != null && (key ?? "").trim() !== "") note("copy_from", "ownKey");
      if (body.mode && !KNOWN_MODES.includes(body.mode)) note("mode", "oneMode");
      if (body.status !== undefined && fields.status === undefined) note("status", "setBySystem");
      // A copy is a row as it was read, and rows are read without their keys.
      if (source !== undefined && (key ?? "").trim() === "") await createFromChannel(ctx, source, fields);
      else await createChannels(ctx, fromWireChannel(body) as CreateChannelInput);
    },
  }),
  route({
    method: "PUT",
    path: "/",
    access: "admin",
    proof: true,
    body: wireChannelSchema.required({ id: true }).omit({ copy_from: true, mode: true }),
    row: channelRow,
    makes: updateChannelSchema,
    malformedStatus: 400,
    handler: async ({ ctx, body, note }) => {
      const channel = await updateChannel(ctx, { ...fromWireChannel(body), id: body.id });
      if (body.status !== undefined && body.status !== channel.status) note("status", "setBySystem");
      return (await toWire(ctx, [channel]))[0];
    },
  }),
  route({ method: "POST", path: "/fix", access: "admin", handler: ({ ctx }) => refreshChannels(ctx) }),
  route({ method: "DELETE", path: "/disabled", access: "admin", handler: ({ ctx }) => deleteDisabledChannels(ctx) }),
  route({ method: "DELETE", path: "/:id", access: "admin", handler: ({ ctx, id }) => deleteChannel(ctx, id) }),
];

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...listing,
  ...testing,
  ...tagRoutes,
  ...upstreamRoutes,
  ...ownRoutes,
  ...rows,
]);
