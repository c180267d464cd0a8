import { z } from "zod";
import { AppError } from "@/lib/errors";
import { replyMessage } from "@/lib/http/message";
import { Reply } from "@/lib/http/reply";
import { defineRoutes, route } from "@/lib/http/route";
import { resetModelRatio, setOption } from "@/lib/option/commands";
import { isSecretKey, listReadableOptions } from "@/lib/option/queries";
import { fromWireOption, toWireOptions } from "@/lib/pricing/option-wire";

const setting = z.object({
  key: z.string("parametersInvalid").min(1, "parametersInvalid"),
  /** Clients send booleans and numbers; options are stored as text. Absent for a secret = unchanged. */
  value: z
    .union([z.string(), z.number().transform(String), z.boolean().transform(String)], "parametersInvalid")
    .nullish(),
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    access: "root",
    handler: async ({ ctx }) => toWireOptions(await listReadableOptions(ctx)),
  }),
  route({
    method: "PUT",
    path: "/",
    access: "root",
    proof: true,
    body: setting,
    malformedStatus: 400,
    handler: async ({ ctx, body: { key, value } }) => {
      if (value == null && !isSecretKey(key)) throw new AppError("invalid", "parametersInvalid");
      await setOption(ctx, key, fromWireOption(key, value ?? ""));
    },
  }),
  route({
    method: "POST",
    path: "/rest_model_ratio",
    access: "root",
    handler: async ({ ctx, request }) => {
      await resetModelRatio(ctx);
      return new Reply({ message: replyMessage(request, "modelRatioReset") });
    },
  }),
]);
