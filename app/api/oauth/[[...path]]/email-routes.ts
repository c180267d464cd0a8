import { z } from "zod";
import { type Route, route } from "@/lib/http/route";
import { bindEmail } from "@/lib/registration/commands";

/** Binds an e-mail address with the code sent by GET /api/verification (contract §1.3). */
export const emailRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/email/bind",
    changes: true,
    access: "user",
    limit: "critical",
    proof: true,
    query: z.object({ email: z.string().default(""), code: z.string().default("") }),
    handler: ({ ctx, query }) => bindEmail(ctx, query),
  }),
];
