const { capitalized, functions, secretsByFunction } = require("./functions.cjs");

// One role for each function, with what that function does and no more (functions.cjs). Roles have names,
// since `osls deploy function` looks its role up by it.

const ENI = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

module.exports = async ({ resolveVariable }) => {
  const [stage, region] = await Promise.all(["sls:stage", "self:provider.region"].map(resolveVariable));
  const secretsOf = await secretsByFunction({ resolveVariable });
  // Not as ${…}: osls would take that for a variable of its own.
  const arn = (service, resource) => ({
    "Fn::Join": [
      ":",
      [
        "arn",
        { Ref: "AWS::Partition" },
        service,
        { Ref: "AWS::Region" },
        { Ref: "AWS::AccountId" },
        resource,
      ],
    ],
  });
  const allow = (Sid, Action, Resource) => ({ Sid, Effect: "Allow", Action, Resource });
  const arnOf = (name) => ({ "Fn::GetAtt": [name, "Arn"] });
  const parameter = (secret) => arn("ssm", `parameter/invoice-relay/${stage}/${secret.split("=").at(-1)}`);

  const statements = (name, { wokenBy, wakes, publishes }) => [
    allow(
      "WritesItsLog",
      ["logs:CreateLogStream", "logs:PutLogEvents"],
      arn("logs", `log-group:/invoice-relay/${stage}:*`),
    ),
    // Lambda itself makes the network interface; EC2 knows no narrower resource for these.
    allow("LivesInTheVpc", ENI, "*"),
    {
      // The function's own code may not: only Lambda, before it runs.
      Sid: "NotItsCode",
      Effect: "Deny",
      Action: ENI,
      Resource: "*",
      Condition: {
        ArnLike: { "lambda:SourceFunctionArn": arn("lambda", `function:invoice-relay-${stage}-*`) },
      },
    },
    allow("ReadsItsSecrets", "ssm:GetParameters", secretsOf[name].map(parameter)),
    ...(wokenBy === undefined
      ? []
      : [
          allow(
            "IsWoken",
            ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
            arnOf(wokenBy),
          ),
        ]),
    ...(wakes === undefined ? [] : [allow("WakesTheNext", "sqs:SendMessage", wakes.map(arnOf))]),
    ...(publishes === true
      ? [
          allow("Publishes", "sns:Publish", [{ Ref: "EventTopic" }, { Ref: "TestEventTopic" }]),
          allow("EncryptsWhatItPublishes", ["kms:GenerateDataKey", "kms:Decrypt"], arnOf("EventKey")),
        ]
      : []),
  ];

  const roleOf = ([name, rights]) => [
    `${capitalized(name)}Role`,
    {
      Type: "AWS::IAM::Role",
      Properties: {
        RoleName: `invoice-relay-${stage}-${region}-${name}`,
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
          ],
        },
        Policies: [
          {
            PolicyName: "function",
            PolicyDocument: { Version: "2012-10-17", Statement: statements(name, rights) },
          },
        ],
      },
    },
  ];
  return { Resources: Object.fromEntries(Object.entries(functions).map(roleOf)) };
};
