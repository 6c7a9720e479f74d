const { capitalized, functions } = require("./functions.cjs");

// What is mailed to alarmEmail: the relay's own alarms, and what it cannot tell itself because it does not
// run.

/** As long as this may work wait, in seconds. */
const BACKLOG = 300;

module.exports = async ({ resolveVariable }) => {
  const [stage, { alarmEmail, logRetentionInDays }] = await Promise.all(
    ["sls:stage", "self:custom.stage"].map(resolveVariable),
  );
  const namespace = `InvoiceRelay/${stage}`;
  const topic = { Ref: "AlarmTopic" };
  const alarm = (description, properties) => ({
    Type: "AWS::CloudWatch::Alarm",
    Properties: {
      AlarmDescription: description,
      Statistic: "Sum",
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      TreatMissingData: "notBreaching",
      AlarmActions: [topic],
      OKActions: [topic],
      ...properties,
    },
  });
  const ofFunction = (name, metric) => ({
    Namespace: "AWS/Lambda",
    MetricName: metric,
    Dimensions: [{ Name: "FunctionName", Value: { Ref: `${capitalized(name)}LambdaFunction` } }],
  });

  /** Called each minute, several failures in a row are no accident; else each one counts. */
  const fails = (name, { every }) =>
    alarm(`The function ${name} fails; its log says why, and what it works on waits in the database`, {
      ...ofFunction(name, "Errors"),
      ...(every === 60 ? { EvaluationPeriods: 3 } : { Period: 300 }),
    });
  /** A schedule that was switched off, a function that is throttled for good: nothing else would tell. */
  const isNotCalled = (name, { every }) =>
    alarm(`The function ${name} was not called although its schedule says so`, {
      ...ofFunction(name, "Invocations"),
      Period: Math.max(300, every),
      EvaluationPeriods: 2,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  /** The others work alone and longer than their schedule's step: for them being throttled is the rule. */
  const isThrottled = (name, periods, description) =>
    alarm(description, { ...ofFunction(name, "Throttles"), EvaluationPeriods: periods });

  const waits = (work, what) => ({
    [`${work}BacklogFilter`]: {
      Type: "AWS::Logs::MetricFilter",
      Properties: {
        LogGroupName: { Ref: "RelayLogs" },
        FilterPattern: `{ $.backlog.${what.metric} = * }`,
        MetricTransformations: [
          {
            MetricNamespace: namespace,
            MetricName: `${work}Backlog`,
            MetricValue: `$.backlog.${what.metric}`,
          },
        ],
      },
    },
    [`${work}Waits`]: alarm(`${what.description} for more than ${BACKLOG / 60} minutes`, {
      Namespace: namespace,
      MetricName: `${work}Backlog`,
      Statistic: "Maximum",
      Threshold: BACKLOG,
      EvaluationPeriods: 3,
    }),
  });
  const all = Object.entries(functions);
  const scheduled = all.filter(([, { every }]) => every !== undefined);

  return {
    Resources: {
      RelayLogs: {
        Type: "AWS::Logs::LogGroup",
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
        Properties: { LogGroupName: `/invoice-relay/${stage}`, RetentionInDays: logRetentionInDays },
      },
      AlarmTopic: {
        Type: "AWS::SNS::Topic",
        Properties: {
          KmsMasterKeyId: { Ref: "EventKey" },
          Subscription: [{ Protocol: "email", Endpoint: alarmEmail }],
        },
      },
      // An alarm of the relay is a line {"level":"error","alarm":"<name>",…}.
      RelayAlarmFilter: alarmFilter({ MetricName: "Alarms", DefaultValue: 0 }),
      // The same lines counted by name, to see which.
      RelayAlarmNameFilter: alarmFilter({
        MetricName: "AlarmsByName",
        Dimensions: [{ Key: "alarm", Value: "$.alarm" }],
      }),
      RelayAlarm: alarm(
        "The relay says that it needs a person; the log group names the alarm and what to do",
        { Namespace: namespace, MetricName: "Alarms" },
      ),
      // What is not recorded is the one thing that only the provider can repair.
      CallbacksNotRecorded: alarm(
        "Callbacks are answered 5xx; they are lost unless the provider sends them again or reconciliation " +
          "finds them",
        {
          Namespace: "AWS/ApiGateway",
          MetricName: "5xx",
          Dimensions: [{ Name: "ApiId", Value: { Ref: "HttpApi" } }],
        },
      ),
      CallbacksThrottled: isThrottled(
        "receive",
        1,
        "More callbacks at once than receiveConcurrency; they are answered 503",
      ),
      ConfirmIsThrottled: isThrottled("confirm", 5, "The function confirm is kept from running"),
      PublishIsThrottled: isThrottled("publish", 5, "The function publish is kept from running"),
      ...waits("Confirm", {
        metric: "confirmSeconds",
        description: "An invoice that is due was not asked about",
      }),
      ...waits("Publish", { metric: "publishSeconds", description: "An event was not sent" }),
      ...Object.fromEntries(all.map(([name, one]) => [`${capitalized(name)}Fails`, fails(name, one)])),
      ...Object.fromEntries(
        scheduled.map(([name, one]) => [`${capitalized(name)}IsNotCalled`, isNotCalled(name, one)]),
      ),
    },
    Outputs: {
      RelayLogGroup: { Description: "Where every function logs", Value: { Ref: "RelayLogs" } },
    },
  };

  function alarmFilter(transformation) {
    return {
      Type: "AWS::Logs::MetricFilter",
      Properties: {
        LogGroupName: { Ref: "RelayLogs" },
        FilterPattern: '{ ($.level = "error") && ($.alarm = "*") }',
        MetricTransformations: [{ MetricNamespace: namespace, MetricValue: "1", ...transformation }],
      },
    };
  }
};
