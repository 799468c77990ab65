import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import {
  acceptInvite,
  contactDeleted,
  contactsAssigned,
  createOrganization,
  findAgents,
  type FileReference,
  listMailOutbox,
  listRepresentatives,
  memberChanged,
  memberJoined,
  memberRemoved,
  type Principal,
  readMemberPrincipal,
  readReportSpan,
  salesCallLogged,
  salesTargetSet,
  saveInvite,
} from '@parley/contracts';
import { Controller, Module } from '@nestjs/common';
import { Handles, InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import { DiskFiles } from '@parley/providers/disk-files';
import { createLogger, defineService, Metrics, type ServiceDefinition, startService } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { z } from 'zod';
import { RecordedEvents } from './recorded-events.suite';
import { teamSales } from './service';

const ofMembers = [memberJoined, memberChanged, memberRemoved];
const everyEvent = [...ofMembers, contactsAssigned, contactDeleted, salesCallLogged, salesTargetSet];

/** The part of agent-config that this service uses: every organization has agents with ids up to this one. */
export const lastAgentId = 100;

@Controller()
class ScriptedAgents {
  @Handles(findAgents)
  find({ AgentIDs }: z.output<typeof findAgents.request>): z.input<typeof findAgents.reply> {
    const known = AgentIDs.filter((id) => id <= lastAgentId);
    return {
      AgentIDs: known,
      agents: known.map((id) => ({ AgentID: id, AgentKeyID: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}` })),
    };
  }
}

@Module({ controllers: [ScriptedAgents] })
class ScriptedAgentConfig {}

const agentConfig = defineService({ name: 'agent-config', config: z.object({}), module: () => ScriptedAgentConfig });

/** The time from which the dashboards count reported calls. */
export const countedFrom = '2026-02-01T00:00:00.000Z';

@Controller()
class ScriptedFigures {
  @Handles(readReportSpan)
  span(): z.input<typeof readReportSpan.reply> {
    return { countedFrom };
  }
}

@Module({ controllers: [ScriptedFigures] })
class ScriptedDashboards {}

const dashboards = defineService({ name: 'dashboards', config: z.object({}), module: () => ScriptedDashboards });

/** What a test may set in an invitation. */
export type InvitationBody = z.input<typeof saveInvite.request>;

/** An organization of a test, with the principal of its first Owner. */
export interface TestOrganization {
  readonly OrgID: number;
  readonly OrgKeyID: string;
  readonly owner: Principal;
  readonly ownerEmail: string;
}

/** The whole service with a database and a broker of its own. */
export class Installation {
  private readonly logger = createLogger({ level: 'error', isReadable: false, writesPii: false, destination: new PassThrough() });
  readonly broker = new InProcessBroker();
  readonly events = new RecordedEvents();
  readonly bus: ServiceBus = new TransportBus(this.broker.connect());
  stopDashboards = (): Promise<void> => Promise.resolve();
  private readonly stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly folder: string,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<Installation> {
    const database = await testDatabase();
    const installation = new Installation(database, await mkdtemp(path.join(tmpdir(), 'parley-team-')));
    await installation.events.listen(installation.broker, everyEvent);
    await installation.startOne(agentConfig, {});
    installation.stopDashboards = await installation.startOne(dashboards, {});
    await installation.startReplica(environment);
    return installation;
  }

  /** Starts another process of the service; returns a function that stops it. */
  startReplica(environment: Record<string, string> = {}): Promise<() => Promise<void>> {
    return this.startOne(teamSales, environment);
  }

  private async startOne(definition: ServiceDefinition, environment: Record<string, string>): Promise<() => Promise<void>> {
    const host = {
      environment: { FILES_DIR: this.folder, ...environment },
      transport: this.broker.connect(),
      databaseUrl: this.database.url,
      logger: this.logger,
      metrics: new Metrics(),
    };
    const service = await startService(definition, host);
    this.stops.push(() => service.stop());
    return () => service.stop();
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.database.close();
    await rm(this.folder, { recursive: true });
  }

  /** A new organization, so that tests do not see each other's rows. */
  async organization(owner = { email: `owner-${randomUUID()}@example.com`, name: 'Asha Kulkarni' }): Promise<TestOrganization> {
    const created = await this.bus.ask(createOrganization, {
      OrgKeyID: randomUUID(),
      OrganizationName: 'Demo Bazaar',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner,
    });
    return { ...created, owner: await this.principalOf(created.OrgID, created.memberAdminID), ownerEmail: owner.email };
  }

  /** The principal of a member's workspace key, as the gateway would assert it. */
  async principalOf(orgId: number, memberId: string): Promise<Principal> {
    return { kind: 'wsk', keyId: 'spec', ...(await this.bus.ask(readMemberPrincipal, { orgId, memberId })) };
  }

  /** The newest invitation token that was mailed to an address. */
  async tokenFor(principal: Principal, email: string): Promise<string> {
    const { rows } = await this.bus.ask(listMailOutbox, { searchName: email, pageSize: 1 }, { principal });
    const token = /inv_[\w-]+/.exec(rows[0]?.text ?? '')?.[0];
    if (!token) throw new Error(`no invitation was mailed to ${email}`);
    return token;
  }

  /** Stores a file as the gateway does for an upload, and returns the reference used in messages. */
  async store(orgId: number, body: AsyncIterable<Uint8Array>): Promise<FileReference> {
    const { key, bytes } = await new DiskFiles(this.folder).put(`contacts/${orgId}/${randomUUID()}.csv`, body, {
      bytesMax: 50_000_000,
    });
    return { fileKey: key, fileName: 'leads.csv', size: bytes, contentType: 'text/csv' };
  }

  /** A member who was invited and accepted, as the gateway sees them. */
  async member(organization: TestOrganization, rights: Partial<InvitationBody> = {}): Promise<Principal> {
    const principal = organization.owner;
    const email = rights.emails?.[0] ?? `member-${randomUUID()}@example.com`;
    const asMember = { action: 'ADD', roleTypeID: 3, userType: 'Web', agentAccessScope: 'ALL' } as const;
    await this.bus.ask(saveInvite, { ...asMember, ...rights, emails: [email] }, { principal });
    const token = await this.tokenFor(principal, email);
    const { memberAdminID, OrgID } = await this.bus.ask(acceptInvite, { token }, { principal });
    return this.principalOf(OrgID, memberAdminID);
  }

  /** A member with the mobile app, with the ids used by the sales part of the API. */
  async representative(organization: TestOrganization, rights: Partial<InvitationBody> = {}) {
    const permissions = { mobileCalling: ['CanView' as const, 'CanAdd' as const] };
    const principal = await this.member(organization, { userType: 'Mobile App', permissions, ...rights });
    const { rows } = await this.bus.ask(listRepresentatives, { pageSize: 200 }, { principal: organization.owner });
    const found = rows.find(({ memberAdminID }) => memberAdminID === principal.memberId);
    if (!found) throw new Error('a mobile member is no representative');
    return { ...found, principal };
  }
}
