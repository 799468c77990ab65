import { nameOf } from '@parley/contracts';
import { z } from 'zod';
import { publicRoutes } from './route-table';

const postgresIntegerMax = 2_147_483_647;
/** Fields that no client sends, or that have wide columns. */
const wide = /FileReference.*size$|CreditAlertsRequest.*lowAt|ContactIDs?(\/anyOf\/0|\/items)?$/;

const Node = z.looseObject({ type: z.unknown(), minimum: z.number().optional(), maximum: z.number().optional() });

/** Where in a JSON schema an integer may exceed Postgres’s. */
function unbounded(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, minimum = -Infinity, maximum = Infinity } = Node.partial().safeParse(schema).data ?? {};
  const isWide = type === 'integer' && (maximum > postgresIntegerMax || minimum < -postgresIntegerMax);
  return [...(isWide ? [place] : []), ...Object.entries(schema).flatMap(([name, inner]) => unbounded(inner, `${place}/${name}`))];
}

it.each([...publicRoutes.rows, ...publicRoutes.handWritten].map((route) => [nameOf(route.contract), route] as const))(
  '%s takes no whole number that its column cannot hold',
  (name, route) => {
    const request = 'body' in route ? route.body : 'request' in route.contract ? route.contract.request : undefined;
    const schema = request ? z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) : {};
    expect(unbounded(schema, name).filter((place) => !wide.test(place))).toEqual([]);
  },
);
