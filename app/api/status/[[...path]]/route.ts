import { defineRoutes, route } from "@/lib/http/route";
import { getStatus, pingDatabase } from "@/lib/status/queries";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({ method: "GET", path: "/", access: "public", handler: ({ ctx, request }) => getStatus(ctx, request.headers) }),
  route({ method: "GET", path: "/test", access: "admin", handler: ({ ctx }) => pingDatabase(ctx) }),
]);
