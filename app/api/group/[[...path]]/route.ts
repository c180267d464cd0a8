import { listGroupNames } from "@/lib/group/queries";
import { defineRoutes, route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({ method: "GET", path: "/", access: "admin", handler: ({ ctx }) => listGroupNames(ctx) }),
]);
