import { defineRoutes } from "@/lib/http/route";

/** Paths under /api that no resource answers. */
export const { GET, POST, PUT, DELETE } = defineRoutes([]);
