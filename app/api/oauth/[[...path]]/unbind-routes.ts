import { type Route, route } from "@/lib/http/route";
import { unbindProvider } from "@/lib/oauth/identity-commands";
import { OUTSIDE_PROVIDERS } from "@/lib/oauth/types";

/** DELETE /api/oauth/{provider} unlinks an external account. */
export const unbindRoutes: readonly Route[] = OUTSIDE_PROVIDERS.map((provider) =>
  route({
    method: "DELETE",
    path: `/${provider}`,
    access: "user",
    proof: true,
    handler: ({ ctx }) => unbindProvider(ctx, { provider }),
  }),
);
