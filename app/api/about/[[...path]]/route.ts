import { defineRoutes, route } from "@/lib/http/route";
import { getContent } from "@/lib/status/queries";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({ method: "GET", path: "/", access: "public", handler: ({ ctx }) => getContent(ctx, "About") }),
]);
