-- Made from the services' schemas; a test keeps it so. Runs once, when the volume is empty, or by hand as a superuser.
-- Superusers bypass row-level security and owners change schemas, so the services connect as neither.
\set ON_ERROR_STOP on
\set owner `[ -n "$PARLEY_DATABASE_PASSWORD" ] && printf %s "$PARLEY_DATABASE_PASSWORD" || cat "$SECRETS_DIR/PARLEY_DATABASE_PASSWORD"`
\set admin `[ -n "$DATABASE_PASSWORD_ADMIN" ] && printf %s "$DATABASE_PASSWORD_ADMIN" || cat "$SECRETS_DIR/DATABASE_PASSWORD_ADMIN"`
\set agents `[ -n "$DATABASE_PASSWORD_AGENTS" ] && printf %s "$DATABASE_PASSWORD_AGENTS" || cat "$SECRETS_DIR/DATABASE_PASSWORD_AGENTS"`
\set conversation `[ -n "$DATABASE_PASSWORD_CONVERSATION" ] && printf %s "$DATABASE_PASSWORD_CONVERSATION" || cat "$SECRETS_DIR/DATABASE_PASSWORD_CONVERSATION"`
\set dashboards `[ -n "$DATABASE_PASSWORD_DASHBOARDS" ] && printf %s "$DATABASE_PASSWORD_DASHBOARDS" || cat "$SECRETS_DIR/DATABASE_PASSWORD_DASHBOARDS"`
\set knowledge `[ -n "$DATABASE_PASSWORD_KNOWLEDGE" ] && printf %s "$DATABASE_PASSWORD_KNOWLEDGE" || cat "$SECRETS_DIR/DATABASE_PASSWORD_KNOWLEDGE"`
\set team `[ -n "$DATABASE_PASSWORD_TEAM" ] && printf %s "$DATABASE_PASSWORD_TEAM" || cat "$SECRETS_DIR/DATABASE_PASSWORD_TEAM"`
\set telephony `[ -n "$DATABASE_PASSWORD_TELEPHONY" ] && printf %s "$DATABASE_PASSWORD_TELEPHONY" || cat "$SECRETS_DIR/DATABASE_PASSWORD_TELEPHONY"`
\set gateway `[ -n "$DATABASE_PASSWORD_GATEWAY" ] && printf %s "$DATABASE_PASSWORD_GATEWAY" || cat "$SECRETS_DIR/DATABASE_PASSWORD_GATEWAY"`
-- Divides by nothing, and so stops, where a password is missing: cat has said above which.
SELECT 1 / ('' NOT IN (:'owner', :'admin', :'agents', :'conversation', :'dashboards', :'knowledge', :'team', :'telephony', :'gateway'))::int AS passwords;
CREATE ROLE parley LOGIN PASSWORD :'owner' NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
DO $$ BEGIN CREATE ROLE parley_every_organization NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
DO $$ BEGIN CREATE ROLE parley_agents; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_agents LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'agents';
DO $$ BEGIN CREATE ROLE parley_agents_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_agents_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'agents';
GRANT parley_every_organization TO parley_agents_system;
ALTER ROLE parley_agents SET search_path = agents;
ALTER ROLE parley_agents SET statement_timeout = '10s';
ALTER ROLE parley_agents SET lock_timeout = '10s';
ALTER ROLE parley_agents SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_agents_system SET search_path = agents;
ALTER ROLE parley_agents_system SET statement_timeout = '10s';
ALTER ROLE parley_agents_system SET lock_timeout = '10s';
ALTER ROLE parley_agents_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_conversation; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_conversation LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'conversation';
DO $$ BEGIN CREATE ROLE parley_conversation_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_conversation_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'conversation';
GRANT parley_every_organization TO parley_conversation_system;
ALTER ROLE parley_conversation SET search_path = conversation;
ALTER ROLE parley_conversation SET statement_timeout = '10s';
ALTER ROLE parley_conversation SET lock_timeout = '10s';
ALTER ROLE parley_conversation SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_conversation_system SET search_path = conversation;
ALTER ROLE parley_conversation_system SET statement_timeout = '10s';
ALTER ROLE parley_conversation_system SET lock_timeout = '10s';
ALTER ROLE parley_conversation_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_dashboards; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_dashboards LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'dashboards';
DO $$ BEGIN CREATE ROLE parley_dashboards_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_dashboards_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'dashboards';
GRANT parley_every_organization TO parley_dashboards_system;
ALTER ROLE parley_dashboards SET search_path = dashboards;
ALTER ROLE parley_dashboards SET statement_timeout = '10s';
ALTER ROLE parley_dashboards SET lock_timeout = '10s';
ALTER ROLE parley_dashboards SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_dashboards_system SET search_path = dashboards;
ALTER ROLE parley_dashboards_system SET statement_timeout = '10s';
ALTER ROLE parley_dashboards_system SET lock_timeout = '10s';
ALTER ROLE parley_dashboards_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_knowledge; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_knowledge LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'knowledge';
DO $$ BEGIN CREATE ROLE parley_knowledge_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_knowledge_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'knowledge';
GRANT parley_every_organization TO parley_knowledge_system;
ALTER ROLE parley_knowledge SET search_path = knowledge;
ALTER ROLE parley_knowledge SET statement_timeout = '10s';
ALTER ROLE parley_knowledge SET lock_timeout = '10s';
ALTER ROLE parley_knowledge SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_knowledge_system SET search_path = knowledge;
ALTER ROLE parley_knowledge_system SET statement_timeout = '10s';
ALTER ROLE parley_knowledge_system SET lock_timeout = '10s';
ALTER ROLE parley_knowledge_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_team; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_team LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'team';
DO $$ BEGIN CREATE ROLE parley_team_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_team_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'team';
GRANT parley_every_organization TO parley_team_system;
ALTER ROLE parley_team SET search_path = team;
ALTER ROLE parley_team SET statement_timeout = '10s';
ALTER ROLE parley_team SET lock_timeout = '10s';
ALTER ROLE parley_team SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_team_system SET search_path = team;
ALTER ROLE parley_team_system SET statement_timeout = '10s';
ALTER ROLE parley_team_system SET lock_timeout = '10s';
ALTER ROLE parley_team_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_telephony; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_telephony LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'telephony';
DO $$ BEGIN CREATE ROLE parley_telephony_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_telephony_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'telephony';
GRANT parley_every_organization TO parley_telephony_system;
ALTER ROLE parley_telephony SET search_path = telephony;
ALTER ROLE parley_telephony SET statement_timeout = '10s';
ALTER ROLE parley_telephony SET lock_timeout = '10s';
ALTER ROLE parley_telephony SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_telephony_system SET search_path = telephony;
ALTER ROLE parley_telephony_system SET statement_timeout = '10s';
ALTER ROLE parley_telephony_system SET lock_timeout = '10s';
ALTER ROLE parley_telephony_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_gateway; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_gateway LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'gateway';
DO $$ BEGIN CREATE ROLE parley_gateway_system; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_gateway_system LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'gateway';
GRANT parley_every_organization TO parley_gateway_system;
ALTER ROLE parley_gateway SET search_path = gateway;
ALTER ROLE parley_gateway SET statement_timeout = '10s';
ALTER ROLE parley_gateway SET lock_timeout = '10s';
ALTER ROLE parley_gateway SET idle_in_transaction_session_timeout = '15s';
ALTER ROLE parley_gateway_system SET search_path = gateway;
ALTER ROLE parley_gateway_system SET statement_timeout = '10s';
ALTER ROLE parley_gateway_system SET lock_timeout = '10s';
ALTER ROLE parley_gateway_system SET idle_in_transaction_session_timeout = '15s';
DO $$ BEGIN CREATE ROLE parley_admin; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
ALTER ROLE parley_admin LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'admin';
CREATE DATABASE parley OWNER parley ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE parley FROM PUBLIC;
GRANT CONNECT ON DATABASE parley TO parley_agents, parley_agents_system, parley_conversation, parley_conversation_system, parley_dashboards, parley_dashboards_system, parley_knowledge, parley_knowledge_system, parley_team, parley_team_system, parley_telephony, parley_telephony_system, parley_gateway, parley_gateway_system, parley_admin;
