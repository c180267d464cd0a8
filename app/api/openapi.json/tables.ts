import { GET as about } from "@/app/api/about/[[...path]]/route";
import { GET as channel } from "@/app/api/channel/[[...path]]/route";
import { GET as data } from "@/app/api/data/[[...path]]/route";
import { GET as group } from "@/app/api/group/[[...path]]/route";
import { GET as homePageContent } from "@/app/api/home_page_content/[[...path]]/route";
import { GET as log } from "@/app/api/log/[[...path]]/route";
import { GET as mj } from "@/app/api/mj/[[...path]]/route";
import { GET as models } from "@/app/api/models/[[...path]]/route";
import { GET as notice } from "@/app/api/notice/[[...path]]/route";
import { GET as oauth } from "@/app/api/oauth/[[...path]]/route";
import { GET as option } from "@/app/api/option/[[...path]]/route";
import { GET as pricing } from "@/app/api/pricing/[[...path]]/route";
import { GET as redemption } from "@/app/api/redemption/[[...path]]/route";
import { GET as resetPassword } from "@/app/api/reset_password/[[...path]]/route";
import { GET as status } from "@/app/api/status/[[...path]]/route";
import { POST as stripe } from "@/app/api/stripe/[[...path]]/route";
import { GET as task } from "@/app/api/task/[[...path]]/route";
import { GET as token } from "@/app/api/token/[[...path]]/route";
import { GET as user } from "@/app/api/user/[[...path]]/route";
import { GET as verification } from "@/app/api/verification/[[...path]]/route";
import { GET as playgroundCalls } from "@/app/pg/[...path]/route";
import { POST as playground } from "@/app/pg/chat/completions/route";
import type { RouteTable } from "@/lib/http/openapi/document";
import { routesOf } from "@/lib/http/route";

/** Every route table of the console by its path. A test compares this list with the folders of app/api. */
export function routeTables(): (RouteTable & { handler: Parameters<typeof routesOf>[0] })[] {
  const handlers = {
    "/api/about": about,
    "/api/channel": channel,
    "/api/data": data,
    "/api/group": group,
    "/api/home_page_content": homePageContent,
    "/api/log": log,
    "/api/mj": mj,
    "/api/models": models,
    "/api/notice": notice,
    "/api/oauth": oauth,
    "/api/option": option,
    "/api/pricing": pricing,
    "/api/redemption": redemption,
    "/api/reset_password": resetPassword,
    "/api/status": status,
    "/api/stripe": stripe,
    "/api/task": task,
    "/api/token": token,
    "/api/user": user,
    "/api/verification": verification,
    "/pg": playgroundCalls,
    "/pg/chat/completions": playground,
  };
  return Object.entries(handlers).map(([base, handler]) => ({ base, handler, routes: routesOf(handler) }));
}
