import { Readable } from "node:stream";
import { z } from "zod";
import { readJsonBody } from "@/lib/http/body";
import { defineRoutes, route } from "@/lib/http/route";
import { askPlayground } from "@/lib/playground/commands";

/** No proxy on the way may buffer, transform or compress the stream. */
const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  "content-encoding": "identity",
  "x-accel-buffering": "no",
};

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
export const { POST } = defineRoutes([
  route({
    method: "POST",
    path: "/",
    access: "user",
    documentedBody: chatSchema,
    handler: async ({ ctx, request }) => {
      const body = await readJsonBody(request);
      const answer = await askPlayground(ctx, { body, signal: request.signal });
      const contentType = String(answer.headers["content-type"] ?? "application/json");
      return new Response(Readable.toWeb(answer.body) as ReadableStream, {
        status: answer.statusCode,
        headers: { "content-type": contentType, ...STREAM_HEADERS },
      });
    },
  }),
]);
