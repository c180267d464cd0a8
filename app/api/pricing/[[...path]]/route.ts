import { Reply } from "@/lib/http/reply";
import { defineRoutes, route } from "@/lib/http/route";
import { listPrices } from "@/lib/pricing/queries";
import { toWirePriceList } from "@/lib/pricing/wire";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    access: "optional",
    handler: async ({ ctx }) => new Reply(toWirePriceList(await listPrices(ctx))),
  }),
]);
