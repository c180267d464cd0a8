import { z } from "zod";
import { channelKind } from "@/lib/channel/wire";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

/** It loads the relay, so it waits for the first question to an upstream. */
const upstreams = () => import("@/lib/channel/upstream-commands");

/** Balances and model lists, read from the upstream. */
export const upstreamRoutes: Route[] = [
  route({
    method: "GET",
    path: "/update_balance",
    changes: true,
    access: "admin",
    handler: async ({ ctx }) => {
      const { updateAllBalances } = await upstreams();
      const { updated, failed } = await updateAllBalances(ctx);
      return { updated, failed: failed.map(({ id, name }) => ({ id, name })) };
    },
  }),
  route({
    method: "GET",
    path: "/update_balance/:id",
    changes: true,
    access: "admin",
    handler: async ({ ctx, id }) => new Reply({ balance: await (await upstreams()).updateChannelBalance(ctx, id) }),
  }),
  route({
    method: "GET",
    path: "/fetch_models/:id",
    access: "admin",
    handler: async ({ ctx, id }) => (await upstreams()).fetchChannelModels(ctx, id),
  }),
  route({
    method: "POST",
    path: "/fetch_models",
    access: "admin",
    body: z.object({
      base_url: z.string().nullish(),
      /** Absent = 1, an upstream as OpenAI's. */
      type: channelKind.nullish(),
      key: z.string("channelKeyMissing"),
      /** The channel's extra field, where the address of the list depends on it. */
      other: z.string().nullish(),
    }),
    handler: async ({ ctx, body: { type, base_url: baseUrl, key, other } }) => {
      const { fetchModelsOf } = await upstreams();
      const asked = { type: type ?? CHANNEL_TYPE.openai, baseUrl: baseUrl ?? "", key, other: other ?? "" };
      return fetchModelsOf(ctx, asked);
    },
  }),
];
