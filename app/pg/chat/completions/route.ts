import { z } from "zod";
import { readJsonBody } from "@/lib/http/body";
import { localeOf } from "@/lib/http/message";
import { defineRoutes, route } from "@/lib/http/route";
import { streamOf } from "@/lib/http/stream";
import { askPlayground } from "@/lib/playground/commands";

/** The fields of B256. Other fields are passed on to the relay. */
const chatSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() })),
  stream: z.boolean().optional(),
  group: z.string().optional(),
  max_tokens: z.number().int().min(0).optional(),
  temperature: z.number().optional(),
});

/** The streaming playground (B256). The session identifies the user; the relay does the rest. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "POST",
    path: "/",
    access: "user",
    documentedBody: chatSchema,
    handler: async ({ ctx, request }) => {
      const body = await readJsonBody(request);
      return streamOf(await askPlayground(ctx, { body, locale: localeOf(request), signal: request.signal }));
    },
  }),
]);
