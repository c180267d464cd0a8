import { getSite } from "@/app/site";
import { localeOf } from "@/lib/http/message";
import { describeApi } from "./document";

/** The OpenAPI 3.1 document of /api, the playground and the relay. Public. */
export async function GET(request: Request): Promise<Response> {
  const { systemName, serverAddress } = await getSite();
  const document = describeApi({ title: systemName, serverUrl: serverAddress }, localeOf(request));
  return Response.json(document, { headers: { "cache-control": "no-store", "access-control-allow-origin": "*" } });
}
