import { defineRoutes, route } from "@/lib/http/route";
import { listModelsByType } from "@/lib/model/queries";

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({ method: "GET", path: "/", access: "user", handler: async ({ ctx }) => listModelsByType(ctx) }),
]);
