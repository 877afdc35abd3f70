import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { api, client, type Schema } from '../../api/client';
import { asProblem } from '../../api/problem';
import { LeaveGuard } from '../../ui/leave-guard';
import { Page } from '../../ui/page';
import { PageLink } from '../../ui/page-link';
import { notify } from '../../ui/toast';
import './agents.css';
import { NO_AUTHENTICATION } from './credentials/authentication-fields';
import { AddressForm } from './register/address-form';
import { CheckPreview } from './register/check-preview';
import { NewAgentForm } from './register/new-agent-form';
import {
  type CardSource,
  missingHeaders,
  type NewSettings,
  registerRequest,
  sourceRequest,
} from './register/register-request';

const NO_SOURCE: CardSource = { cardUrl: '', card: '', cardHeaders: [] };

const NO_SETTINGS: NewSettings = {
  id: '',
  tags: '',
  organizations: '',
  priority: '',
  enabled: true,
  headers: [],
  authentication: NO_AUTHENTICATION,
  taken: {},
};

/** An address, what the hub would call there and why, some settings, and the agent is registered. */
export function RegisterPage() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [source, setSource] = useState(NO_SOURCE);
  const [settings, setSettings] = useState(NO_SETTINGS);
  const [faultOfCard, setFaultOfCard] = useState<unknown>(null);
  const [registering, setRegistering] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const isLeft = useIsLeft();
  const check = api.useMutation('post', '/api/v1/agents:check');
  const preview = useRef<HTMLDivElement>(null);

  const changeSource = (next: CardSource) => {
    setSource(next);
    setFaultOfCard(null);
    setFault(null);
    check.reset();
  };
  const look = async () => {
    setFaultOfCard(null);
    try {
      const found = await check.mutateAsync({ body: sourceRequest(source) });
      setSettings({ ...settings, headers: missingHeaders(found.security), taken: {} });
      preview.current?.focus();
    } catch (thrown) {
      setFaultOfCard(thrown);
    }
  };
  const register = async () => {
    setRegistering(true);
    setFault(null);
    try {
      const { data } = await client.POST('/api/v1/agents', {
        body: registerRequest(source, settings),
      });
      await queries.invalidateQueries();
      notify(`${data?.name} is registered.`);
      if (isLeft.current) return;
      const params = { agentId: data?.id ?? '' };
      await navigate({ to: '/agents/$agentId', params, ignoreBlocker: true });
    } catch (thrown) {
      setFault(thrown);
      setRegistering(false);
    }
  };
  const found: Schema<'AgentCheckDto'> | undefined = check.data;
  return (
    <Page
      title="Register an agent"
      lead={
        <>
          Three steps: its address, a look at what the hub would call, some settings.{' '}
          <PageLink to="/agents">All agents</PageLink>
        </>
      }
    >
      <LeaveGuard isUnsaved={() => isBegun(source)} />
      <AddressForm
        source={source}
        onChange={changeSource}
        onCheck={() => void look()}
        busy={check.isPending}
        error={faultOfCard}
        isChecked={found !== undefined}
      />
      <div ref={preview} tabIndex={-1} className="agents-stack agents-preview">
        {found && (
          <>
            <CheckPreview
              found={found}
              source={source}
              settings={settings}
              onChange={setSettings}
            />
            <NewAgentForm
              found={found}
              settings={settings}
              onChange={setSettings}
              onRegister={() => void register()}
              busy={registering}
              error={fault === null ? null : asProblem(fault)}
            />
          </>
        )}
      </div>
    </Page>
  );
}

/** Whether the page was left: whoever did so is not led back. */
function useIsLeft(): RefObject<boolean> {
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return isLeft;
}

function isBegun({ cardUrl, card, cardHeaders }: CardSource): boolean {
  return cardUrl.trim() !== '' || card.trim() !== '' || cardHeaders.length > 0;
}
