import { defineRoutes, route } from "@/lib/http/route";
import { getStatus } from "@/lib/status/queries";

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({ method: "GET", path: "/", access: "public", handler: ({ ctx }) => getStatus(ctx) }),
]);
