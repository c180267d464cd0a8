import { z } from "zod";
import { defineRoutes, route } from "@/lib/http/route";
import { resetModelRatio, setOption } from "@/lib/option/commands";
import { listReadableOptions } from "@/lib/option/queries";

const setting = z.object({
  key: z.string("parametersInvalid").min(1, "parametersInvalid"),
  /** Clients send booleans and numbers; options are stored as text. */
  value: z.union([z.string(), z.number().transform(String), z.boolean().transform(String)], "parametersInvalid"),
});

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({ method: "GET", path: "/", access: "root", handler: ({ ctx }) => listReadableOptions(ctx) }),
  route({
    method: "PUT",
    path: "/",
    access: "root",
    proof: true,
    body: setting,
    malformedStatus: 400,
    handler: ({ ctx, body }) => setOption(ctx, body.key, body.value),
  }),
  route({ method: "POST", path: "/rest_model_ratio", access: "root", handler: ({ ctx }) => resetModelRatio(ctx) }),
]);
