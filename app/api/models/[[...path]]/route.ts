import { defineRoutes, route } from "@/lib/http/route";
import { listModelsByType } from "@/lib/model/queries";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({ method: "GET", path: "/", access: "user", handler: async ({ ctx }) => listModelsByType(ctx) }),
]);
