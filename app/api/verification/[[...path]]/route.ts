import { z } from "zod";
import { localeOf } from "@/lib/http/message";
import { defineRoutes, route } from "@/lib/http/route";
import { sendVerificationCode } from "@/lib/registration/mail-commands";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    changes: true,
    access: "public",
    limit: "critical",
    query: z.object({ email: z.string().default(""), turnstile: z.string().optional() }),
    handler: ({ ctx, request, query }) => sendVerificationCode(ctx, { ...query, locale: localeOf(request) }),
  }),
]);
